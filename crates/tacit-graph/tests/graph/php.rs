//! Resolves names in PHP: autoloading with Composer, and includes.

use tacit_graph::{EdgeKind, NodeKind, link};

use crate::{check_imports, check_uses, edges, project};

#[test]
fn classes_resolve_through_the_autoloader() {
    check_imports(
        r#"== composer.json
{"autoload": {"psr-4": {"App\\": "src/", "Multi\\": ["one", "two/"]}, "psr-0": {"Old_": "legacy"},
  "classmap": ["map"], "files": ["src/helpers.php"]}, "autoload-dev": {"psr-4": {"Tests\\": "tests"}}}
== src/Models/User.php
<?php namespace App\Models; class User {}
== src/Models/Order.php
<?php namespace App\Models; class Order {}
== src/Wrong.php
<?php namespace App\Elsewhere; class Wrong {}
== two/B.php
<?php namespace Multi; class B {}
== legacy/Old/Thing.php
<?php class Old_Thing {}
== map/any/name.php
<?php namespace Mapped; class Any {}
== src/helpers.php
<?php namespace App; function help() {}
== loose/Loose.php
<?php namespace App\Models; class Loose {}
== src/Http/Home.php
<?php
namespace App\Http;
use App\Models\{User, Order as O};
use App\Models\Gone;
use App\Models\Loose;
use App\Elsewhere\Wrong;
use Multi\B;
use Mapped\Any;
use Old_Thing;
use Vendor\Thing;
use function App\help;
use App\Models;
class Home { }
== tests/HomeTest.php
<?php
namespace Tests;
class HomeTest { public function testIt() { new \App\Http\Home(); } }
"#,
        &[
            "src/Http/Home.php -> legacy/Old/Thing.php",
            "src/Http/Home.php -> map/any/name.php",
            "src/Http/Home.php -> src/Models/Order.php",
            "src/Http/Home.php -> src/Models/User.php",
            "src/Http/Home.php -> src/helpers.php",
            "src/Http/Home.php -> two/B.php",
            "src/Http/Home.php ? App.Elsewhere: Wrong",
            "src/Http/Home.php ? App.Models: Gone",
            "src/Http/Home.php ? App.Models: Loose",
            "tests/HomeTest.php -> src/Http/Home.php",
        ],
    );
}

#[test]
fn packages_see_their_requirements() {
    check_imports(
        r#"== a/composer.json
{"name": "shop/a", "autoload": {"psr-4": {"A\\": ""}}}
== a/Thing.php
<?php namespace A; class Thing {}
== b/composer.json
{"name": "shop/b", "require": {"shop/a": "*"}, "autoload": {"psr-4": {"B\\": "src"}}}
== b/src/Use.php
<?php namespace B; use A\Thing; class Use_ {}
== c/composer.json
{"name": "shop/c"}
== c/Use.php
<?php use A\Thing;
"#,
        &["b/src/Use.php -> a/Thing.php"],
    );
}

#[test]
fn includes_resolve_relative_to_the_file() {
    check_imports(
        r#"== lib/a.php
== lib/b.php
== c.php
== web/d.php
== web/index.php
<?php
require_once __DIR__ . '/../lib/a.php';
require dirname(__FILE__) . "/../lib/b.php";
include(dirname(__DIR__) . '/c.php');
include 'd.php';
include 'somewhere.php';
include './e.php';
require __DIR__ . '/gone.php';
require $path . '/a.php';
require "$path/a.php";
"#,
        &[
            "web/index.php -> c.php",
            "web/index.php -> lib/a.php",
            "web/index.php -> lib/b.php",
            "web/index.php -> web/d.php",
            "web/index.php ? ./gone.php",
        ],
    );
}

#[test]
fn calls_and_types_follow_namespaces_and_imports() {
    check_uses(
        r#"== composer.json
{"autoload": {"psr-4": {"App\\": "src/"}, "files": ["functions.php"]}}
== functions.php
<?php
function everywhere() {}
class Everywhere {}
== src/Base.php
<?php
namespace App;
abstract class Base implements Shape, \Countable { protected function run() {} public static function make() {} }
== src/Shape.php
<?php
namespace App;
interface Shape extends \JsonSerializable {}
== src/Mix.php
<?php
namespace App;
trait Mix { function mixed() {} }
== src/Sub/Cart.php
<?php
namespace App\Sub;
use App\Base;
use App\Mix as M;
class Cart extends Base {
    use M;
    function __construct($x) {
        $this->helper(); self::helper(); static::make(); parent::run(); $this->mixed();
        Line::of(1); new Line; new \App\Sub\Line(); \App\Base::make();
        everywhere(); strlen('x'); new Everywhere(); $x->helper(); $this->line->of();
        helper();
        $y = new class { function f() { $this->helper(); } };
    }
    private function helper() {}
}
== src/Sub/Line.php
<?php
namespace App\Sub;
class Line { static function of($x) {} }
== src/Two.php
<?php
namespace App\One { class First { function f() { new Second(); new \App\Two\Third(); } } class Second {} }
namespace App\Two { class Third { function f() { new Second(); } } }
"#,
        &[
            "src/Base.php::Base implements src/Shape.php::Shape",
            "src/Sub/Cart.php::Cart extends src/Base.php::Base",
            "src/Sub/Cart.php::Cart implements src/Mix.php::Mix",
            "src/Sub/Cart.php::Cart.__construct calls functions.php::everywhere",
            "src/Sub/Cart.php::Cart.__construct calls src/Base.php::Base.make",
            "src/Sub/Cart.php::Cart.__construct calls src/Base.php::Base.run",
            "src/Sub/Cart.php::Cart.__construct calls src/Mix.php::Mix.mixed",
            "src/Sub/Cart.php::Cart.__construct calls src/Sub/Cart.php::Cart.helper",
            "src/Sub/Cart.php::Cart.__construct calls src/Sub/Line.php::Line",
            "src/Sub/Cart.php::Cart.__construct calls src/Sub/Line.php::Line.of",
            "src/Two.php::App.One.First.f calls src/Two.php::App.One.Second",
            "src/Two.php::App.One.First.f calls src/Two.php::App.Two.Third",
        ],
    );
}

#[test]
fn tests_are_recognised_by_name_attribute_and_comment() {
    let graph = link(
        &project(
            "== a.php\n<?php class A { function testOne() {} #[Test] function two() {}\n\
             /** @test */\nfunction three() {} function testify() {} function four() {} }\n\
             it('works', function () {});\n",
        ),
        1,
    );
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["A.testOne", "A.two", "A.three", "works"]);
}

#[test]
fn traits_and_base_classes_come_before_interfaces() {
    let composer = r#"{"autoload": {"psr-4": {"App\\": "src/"}}}"#;
    let types = "== src/Shape.php\n<?php namespace App; interface Shape { function draw(); }\n\
        == src/Draws.php\n<?php namespace App; trait Draws { function draw() {} }\n\
        == src/Base.php\n<?php namespace App; class Base { function draw() {} }\n";
    for (head, body, runs) in [
        ("implements Shape", "use Draws;", "src/Draws.php::Draws.draw"),
        ("extends Base implements Shape", "", "src/Base.php::Base.draw"),
        ("extends Base implements Shape", "use Draws;", "src/Draws.php::Draws.draw"),
        ("implements Shape", "", "src/Shape.php::Shape.draw"),
    ] {
        let text = format!(
            "== composer.json\n{composer}\n{types}\
             == src/Box.php\n<?php namespace App; abstract class Box {head} {{ {body} }}\n\
             == src/Use.php\n<?php namespace App; class User extends Box {{ function go() {{ $this->draw(); }} }}\n"
        );
        let graph = link(&project(&text), 1);
        let found = edges(&graph, |edge| edge.kind == EdgeKind::Calls);
        assert_eq!(found, [format!("src/Use.php::User.go calls {runs}")], "{head} {body}");
    }
}
