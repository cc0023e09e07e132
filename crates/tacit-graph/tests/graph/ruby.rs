//! What `require` means in Ruby, and which constants are known where.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn files_are_required_from_the_file_or_from_lib() {
    check_imports(
        r#"== shop.gemspec
== lib/shop.rb
require "shop/cart"
require "json"
require "shop/gone"
require "./somewhere"
require name
autoload :Line, "shop/line"
== lib/shop/cart.rb
require_relative "line"
require_relative "../lost"
require File.expand_path("../order", __FILE__)
require File.expand_path("tool", __dir__)
require File.join(__dir__, "more")
== lib/shop/line.rb
== lib/shop/order.rb
== lib/shop/tool.rb
== lib/shop/more.rb
== spec/spec_helper.rb
require "shop"
== spec/cart_spec.rb
require "spec_helper"
== other/other.gemspec
== other/lib/other.rb
require "shop"
require "spec_helper"
"#,
        &[
            "lib/shop.rb -> lib/shop/cart.rb",
            "lib/shop.rb -> lib/shop/line.rb",
            "lib/shop.rb ? shop/gone",
            "lib/shop/cart.rb -> lib/shop/line.rb",
            "lib/shop/cart.rb -> lib/shop/more.rb",
            "lib/shop/cart.rb -> lib/shop/order.rb",
            "lib/shop/cart.rb -> lib/shop/tool.rb",
            "lib/shop/cart.rb ? ./../lost",
            "other/lib/other.rb -> lib/shop.rb",
            "spec/cart_spec.rb -> spec/spec_helper.rb",
            "spec/spec_helper.rb -> lib/shop.rb",
        ],
    );
}

#[test]
fn without_a_gem_nobody_knows_where_lib_is() {
    check_imports("== lib/a.rb\n== main.rb\nrequire 'a'\n", &[]);
}

#[test]
fn constants_are_known_where_files_are_loaded_together() {
    check_uses(
        r#"== shop.gemspec
== lib/shop.rb
require "shop/cart"
require "shop/line"
require "shop/mix"
== lib/shop/cart.rb
module Shop
  class Cart < Base
    include Mix
    def initialize(line)
      helper
      self.helper
      mixed
      Line.build(1)
      Line.new
      ::Shop::Line.new
      line.run
      Stranger.new
      Line.total
      puts "x"
    end
    def helper; end
    def self.make; build; end
    def self.build; end
    class << self
      def other; build; end
    end
  end
end
== lib/shop/line.rb
module Shop
  class Base; end
  class Line
    def self.build(x); end
    def total; end
  end
end
== lib/shop/mix.rb
module Shop
  module Mix
    def mixed; end
  end
end
== lib/shop/stranger.rb
module Shop
  class Stranger; end
end
"#,
        &[
            "lib/shop/cart.rb::Shop.Cart extends lib/shop/line.rb::Shop.Base",
            "lib/shop/cart.rb::Shop.Cart implements lib/shop/mix.rb::Shop.Mix",
            "lib/shop/cart.rb::Shop.Cart.initialize calls lib/shop/cart.rb::Shop.Cart.helper",
            "lib/shop/cart.rb::Shop.Cart.initialize calls lib/shop/line.rb::Shop.Line",
            "lib/shop/cart.rb::Shop.Cart.initialize calls lib/shop/line.rb::Shop.Line.self.build",
            "lib/shop/cart.rb::Shop.Cart.initialize calls lib/shop/mix.rb::Shop.Mix.mixed",
            "lib/shop/cart.rb::Shop.Cart.self.make calls lib/shop/cart.rb::Shop.Cart.self.build",
            "lib/shop/cart.rb::Shop.Cart.self.other calls lib/shop/cart.rb::Shop.Cart.self.build",
        ],
    );
}

#[test]
fn applications_load_by_name_what_is_in_app() {
    check_imports(
        r#"== Gemfile
== app/models/user.rb
class User < ApplicationRecord
  include Named
end
== app/models/concerns/named.rb
module Named; end
== app/models/admin/html_page.rb
class Admin::HTMLPage; end
== app/controllers/users_controller.rb
class UsersController < ApplicationController
  def index
    User.all
    Admin::HTMLPage.new
    Misplaced.new
    Tool.new
  end
end
== app/services/wrong_name.rb
class Misplaced; end
== lib/tool.rb
class Tool; end
== test/user_test.rb
class UserTest < ActiveSupport::TestCase
  def test_it = User.new
end
== engine/app/models/other.rb
class Other
  def run = User.new
end
"#,
        &[
            "app/controllers/users_controller.rb -> app/models/admin/html_page.rb",
            "app/controllers/users_controller.rb -> app/models/user.rb",
            "app/models/user.rb -> app/models/concerns/named.rb",
            "engine/app/models/other.rb -> app/models/user.rb",
            "test/user_test.rb -> app/models/user.rb",
        ],
    );
}

#[test]
fn what_two_files_define_and_what_an_unknown_class_may_have_is_nobodys() {
    check_uses(
        r#"== a.rb
require_relative "one"
require_relative "two"
Same.new
def run; free; end
class Known; def go; free; end; end
class Unsure < External; def go; free; end; end
class Has; attr_reader :other, :free; def go; free; end; end
== one.rb
class Same; end
def free; end
== two.rb
class Same; end
"#,
        &["a.rb::Known.go calls one.rb::free", "a.rb::run calls one.rb::free"],
    );
}

#[test]
fn tests_are_known_by_what_defines_them() {
    let graph = link(
        &project(
            "== a_spec.rb\nRSpec.describe Cart do\n  it \"adds\" do\n  end\nend\n\
             == b_test.rb\nclass BTest < Minitest::Test\n  def test_b; end\n  test \"c\" do\n  end\nend\n",
        ),
        1,
    );
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["Cart", "Cart.adds", "BTest.test_b", "BTest.c"]);
}
