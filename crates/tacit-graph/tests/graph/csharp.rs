//! Resolves names in C#: namespaces, `using`, and project references.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn names_resolve_within_a_project_and_its_references() {
    check_imports(
        r#"== Core/Core.csproj
<Project/>
== Core/Order.cs
namespace Shop.Core;
public class Order { Line line; }
== Core/Line.cs
namespace Shop.Core { class Line { } }
== Deep/Deep.csproj
<Project/>
== Deep/Far.cs
namespace Shop.Deep;
public class Far { }
== Middle/Middle.csproj
<Project><ItemGroup><ProjectReference Include="..\Deep\Deep.csproj" /></ItemGroup></Project>
== Alone/Alone.csproj
<Project/>
== Alone/Order.cs
namespace Shop.Alone;
public class Stranger { }
== Web/Web.csproj
<Project>
  <ItemGroup>
    <ProjectReference Include="..\Core\Core.csproj" />
    <ProjectReference Include='../Middle/Middle.csproj'/>
  </ItemGroup>
</Project>
== Web/App.cs
using System.Linq;
using Shop.Core;
using Shop.Core.Gone;
using Shop.Alone;
using F = Shop.Deep.Far;
namespace Shop.Web;
class App { Order order; F far; Stranger stranger; Newtonsoft.Json.JObject json; }
"#,
        &[
            "Core/Order.cs -> Core/Line.cs",
            "Web/App.cs -> Core/Order.cs",
            "Web/App.cs -> Deep/Far.cs",
            "Web/App.cs ? Shop.Core.Gone",
        ],
    );
}

#[test]
fn names_in_two_imported_namespaces_stay_unresolved() {
    check_imports(
        r#"== A.cs
namespace A; public class Thing { } public class Only { }
== B.cs
namespace B; public class Thing { }
== Both.cs
using A;
using B;
class Both { Thing thing; Only only; }
== Near.cs
using A;
namespace B { class Near { Thing thing; } }
"#,
        &["Both.cs -> A.cs", "Near.cs -> B.cs"],
    );
}

#[test]
fn global_usings_apply_to_the_whole_project() {
    check_imports(
        r#"== p/P.csproj
<Project><ItemGroup><Using Include="Stated" /></ItemGroup></Project>
== p/Global.cs
global using Tools;
== p/Tools.cs
namespace Tools; public class Tool { }
== p/Stated.cs
namespace Stated; public class Said { }
== p/Use.cs
namespace Other; class Use { Tool tool; Said said; }
== q/Q.csproj
<Project/>
== q/Use.cs
namespace Other; class Use { Tool tool; Said said; }
"#,
        &["p/Use.cs -> p/Stated.cs", "p/Use.cs -> p/Tools.cs"],
    );
}

#[test]
fn calls_and_types_follow_scopes_usings_and_bases() {
    check_uses(
        r#"== Base.cs
namespace Shop;
public interface IShape { void Draw(); }
public abstract class Base : IShape { protected void Run() { } public void Draw() { } }
== Util.cs
namespace Shop.Tools;
public static class Util { public static int Make<T>(int x) => x; public static void Log() { } }
== Cart.cs
using Shop.Tools;
using static Shop.Tools.Util;
namespace Shop.Web;
public partial class Cart<T> : Base, IShape, IEquatable<T>
{
    public Logger Logger { get; }
    public Cart() { Helper(); this.Helper(); base.Run(); Run(); }
    void Helper() { Util.Make<int>(1); new Line(); Logger.Write(); line.Go(); T.Gone(); Split(); }
}
public class Line { }
public class Logger { public static void Write() { } }
== Cart.Parts.cs
namespace Shop.Web;
public partial class Cart<T> { void Split() { } }
== Free.cs
using static Shop.Tools.Util;
class Free { void F() { Log(); new Shop.Web.Cart<int>(); } }
class Unsure : External { void F() { Log(); } }
"#,
        &[
            "Base.cs::Base implements Base.cs::IShape",
            "Cart.cs::Cart extends Base.cs::Base",
            "Cart.cs::Cart implements Base.cs::IShape",
            "Cart.cs::Cart.Cart calls Base.cs::Base.Run",
            "Cart.cs::Cart.Cart calls Cart.cs::Cart.Helper",
            "Cart.cs::Cart.Helper calls Cart.Parts.cs::Cart.Split",
            "Cart.cs::Cart.Helper calls Cart.cs::Line",
            "Cart.cs::Cart.Helper calls Util.cs::Util.Make",
            "Free.cs::Free.F calls Cart.cs::Cart",
            "Free.cs::Free.F calls Util.cs::Util.Log",
        ],
    );
}

#[test]
fn tests_are_recognised_by_their_attributes() {
    let graph = link(
        &project(
            "== A.cs\nclass A { [Fact] void One() { } [Test, Category(\"x\")] void Two() { }\n\
             [TestMethod]\nvoid Three() { } [Testable] void Four() { } void Five() { } }\n",
        ),
        1,
    );
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["A.One", "A.Two", "A.Three"]);
}

#[test]
fn attributes_resolve_with_their_suffix() {
    check_imports(
        r#"== A.csproj
== Framework.cs
namespace Framework;
public class TestFixtureAttribute : System.Attribute { }
== Core.cs
namespace Core;
public class TestFixture { }
public class MarkAttribute : System.Attribute { }
== Tests.cs
namespace Tests;
using Core;
using Framework;
[TestFixture] public class CartTests { }
== Written.cs
namespace Written;
[Core.Mark] public class Whole { }
[Core.MarkAttribute] public class Longer { }
== Plain.cs
namespace Plain;
using Core;
[Missing] public class Nothing { TestFixture held; }
"#,
        &["Plain.cs -> Core.cs", "Tests.cs -> Framework.cs", "Written.cs -> Core.cs"],
    );
}

#[test]
fn values_hide_types_except_where_a_type_is_expected() {
    check_uses(
        r#"== A.cs
namespace N;
public class Bar { public static void Run() { } }
public class Foo { public void Run() { } }
public class Line { public static void Go() { } }
public class Base { public Foo Bar { get; set; } public class Line { public static void Go() { } } }
== B.cs
namespace N;
public class Use : Base
{
    void Value() { Bar.Run(); }
    void Type(Bar bar) { new Bar(); }
    void Nested() { Line.Go(); }
    void Local() { void Run() { } Run(); new Line(); }
    void Line2() { new Foo(); }
    void Foo() { }
}
"#,
        &[
            "B.cs::Use extends A.cs::Base",
            "B.cs::Use.Line2 calls A.cs::Foo",
            "B.cs::Use.Local calls A.cs::Base.Line",
            "B.cs::Use.Local calls B.cs::Use.Local.Run",
            "B.cs::Use.Nested calls A.cs::Base.Line.Go",
            "B.cs::Use.Type calls A.cs::Bar",
        ],
    );
}

#[test]
fn types_in_patterns_are_used() {
    check_imports(
        r#"== A.cs
namespace N; public class A { } public class P { public int X; }
== Is.cs
namespace N; class Is { bool F(object o) => o is A; }
== Not.cs
namespace N; class Not { bool F(object o) => o is not A; }
== Switch.cs
namespace N; class Switch { int F(object o) => o switch { A => 1, _ => 2 }; }
== Shape.cs
namespace N; class Shape { bool F(object o) => o is P { X: 1 }; }
== Held.cs
namespace N; class Held { public A A { get; } }
"#,
        &[
            "Held.cs -> A.cs",
            "Is.cs -> A.cs",
            "Not.cs -> A.cs",
            "Shape.cs -> A.cs",
            "Switch.cs -> A.cs",
        ],
    );
}
