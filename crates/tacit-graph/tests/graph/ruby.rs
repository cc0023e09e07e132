//! Resolves `require` and constants in Ruby.

use tacit_graph::{Extractor, Language, NodeKind, SourceText, link};

use crate::{check_imports, check_uses, project};

#[test]
fn required_paths_are_relative_to_the_file_or_lib() {
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
fn lib_is_only_searched_in_gems() {
    check_imports("== lib/a.rb\n== main.rb\nrequire 'a'\n", &[]);
}

#[test]
fn constants_are_visible_in_files_loaded_together() {
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
fn files_in_app_are_autoloaded_by_name() {
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
fn ambiguous_definitions_and_unknown_bases_stay_unresolved() {
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
fn tests_are_recognised_by_name_and_by_call() {
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

#[test]
fn reopened_builtin_classes_are_not_definitions() {
    check_uses(
        r#"== a.gemspec
== lib/a.rb
require "a/core_ext"
require "a/cart"
require "a/monitor"
def select; end
== lib/a/core_ext.rb
class Class
  def attribute; end
end
class Pathname
  def self.here; end
  def go; attribute; select; end
end
== lib/a/monitor.rb
class Monitor < Cart
end
== lib/a/cart.rb
class Cart
  def run
    Class.new(Cart)
    Pathname.new("a")
    Pathname.here
    Monitor.new
  end
end
"#,
        &[
            "lib/a/cart.rb::Cart.run calls lib/a/core_ext.rb::Pathname.self.here",
            "lib/a/cart.rb::Cart.run calls lib/a/monitor.rb::Monitor",
            "lib/a/monitor.rb::Monitor extends lib/a/cart.rb::Cart",
        ],
    );
}

#[test]
fn reopened_classes_do_not_replace_an_invisible_definition() {
    let one = "== one/one.gemspec\n== one/lib/one/base.rb\nmodule One\n  class Base < Metal\n  end\nend\n";
    let two = "== two/two.gemspec\n== two/test/help.rb\nmodule One\n  class Base\n    def add; end\n  end\nend\n\
        == two/test/use.rb\nrequire_relative 'help'\nclass Mine < One::Base\nend\n";
    check_uses(&format!("{one}{two}"), &[]);
    check_uses(two, &["two/test/use.rb::Mine extends two/test/help.rb::One.Base"]);
}

#[test]
fn methods_of_other_objects_do_not_call_the_enclosing_class() {
    for (body, called) in [
        ("Class.new(Other) do\n def go; save; self.save; end\n end", &[][..]),
        ("Module.new { def go; save; end }", &[]),
        ("def o.go; save; self.save; end", &[]),
        ("class << o\n def go; save; self.save; end\n end", &[]),
        ("def A.go; save; end", &[]),
        ("def A.go; make; end", &["A.self.go calls lib/a.rb::A.self.make"]),
        ("class << A\n def go; make; end\n end", &["A.self.go calls lib/a.rb::A.self.make"]),
        (
            "K = Struct.new(:save) do\n def go; save; other; end\n def other; end\n end",
            &["A.K.go calls lib/a.rb::A.K.other"],
        ),
    ] {
        let text = format!(
            "== a.gemspec\n== lib/a.rb\nclass A\n  def save; end\n  def self.make; end\n  {body}\nend\n"
        );
        let expected: Vec<String> = called.iter().map(|line| format!("lib/a.rb::{line}")).collect();
        check_uses(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn end_words_of_heredocs_may_be_of_any_length() {
    for length in [1, 255, 256, 5_000] {
        let word = "x".repeat(length);
        let text = format!("def before; end\na = <<{word}\ntext\n{word}\n");
        let facts = Extractor::default().extract(Language::Ruby, &SourceText::new(text.as_bytes()));
        let names: Vec<String> = facts
            .into_iter()
            .flat_map(|facts| facts.definitions)
            .map(|definition| definition.name)
            .collect();
        assert_eq!(names, ["before"], "{length}");
    }
}
