//! Resolves imports and names in Java.

use crate::{check_imports, check_uses};

#[test]
fn types_resolve_by_package_and_module() {
    check_imports(
        r#"== core/pom.xml
<project/>
== core/src/main/java/com/shop/Order.java
package com.shop;
public class Order { Line line; static class Inner {} }
== core/src/main/java/com/shop/Line.java
package com.shop;
class Line {}
== core/src/test/java/com/shop/OrderTest.java
package com.shop;
class OrderTest { Order order; }
== web/pom.xml
<project/>
== web/src/main/java/com/web/App.java
package com.web;
import com.shop.Order;
import com.shop.Order.Inner;
import static com.web.Util.help;
import java.util.List;
import com.shop.Gone;
import com.all.*;
class App { One one; com.full.Written written; }
== web/src/main/java/com/web/Util.java
package com.web;
class Util { static void help() {} }
== web/src/main/java/com/all/One.java
package com.all;
public class One {}
== web/src/main/java/com/all/Two.java
package com.all;
public class Two {}
== web/src/main/java/com/full/Written.java
package com.full;
public class Written {}
"#,
        &[
            "core/src/main/java/com/shop/Order.java -> core/src/main/java/com/shop/Line.java",
            "core/src/test/java/com/shop/OrderTest.java -> core/src/main/java/com/shop/Order.java",
            "web/src/main/java/com/web/App.java -> core/src/main/java/com/shop/Order.java",
            "web/src/main/java/com/web/App.java -> web/src/main/java/com/all/One.java",
            "web/src/main/java/com/web/App.java -> web/src/main/java/com/full/Written.java",
            "web/src/main/java/com/web/App.java -> web/src/main/java/com/web/Util.java",
            "web/src/main/java/com/web/App.java ? com.shop: Gone",
        ],
    );
}

#[test]
fn duplicate_types_resolve_within_their_module_only() {
    check_imports(
        r#"== a/build.gradle
== a/src/main/java/p/Config.java
package p;
public class Config {}
== a/src/main/java/p/User.java
package p;
class User { Config config; }
== b/build.gradle
== b/src/main/java/p/Config.java
package p;
public class Config {}
== c/build.gradle
== c/src/main/java/q/Main.java
package q;
import p.Config;
class Main {}
"#,
        &[
            "a/src/main/java/p/User.java -> a/src/main/java/p/Config.java",
            "c/src/main/java/q/Main.java ? p: Config",
        ],
    );
}

#[test]
fn calls_and_types_follow_scopes_packages_and_imports() {
    check_uses(
        r#"== src/p/Base.java
package p;
public abstract class Base implements Shape { protected void run() {} }
== src/p/Shape.java
package p;
public interface Shape extends q.Drawable {}
== src/q/Drawable.java
package q;
public interface Drawable {}
== src/p/Child.java
package p;
public class Child<T> extends Base {
    Child() { helper(); this.helper(); run(); }
    void helper() { Tool.make(); new Tool(); T.gone(); tool.use(); }
    Tool tool;
}
== src/p/Tool.java
package p;
class Tool { static Tool make() { return null; } }
"#,
        &[
            "src/p/Base.java::Base implements src/p/Shape.java::Shape",
            "src/p/Child.java::Child extends src/p/Base.java::Base",
            "src/p/Child.java::Child.Child calls src/p/Base.java::Base.run",
            "src/p/Child.java::Child.Child calls src/p/Child.java::Child.helper",
            "src/p/Child.java::Child.helper calls src/p/Tool.java::Tool",
            "src/p/Child.java::Child.helper calls src/p/Tool.java::Tool.make",
            "src/p/Shape.java::Shape extends src/q/Drawable.java::Drawable",
        ],
    );
}

#[test]
fn anonymous_and_local_types_have_their_own_members() {
    check_uses(
        r#"== Use.java
package p;
public class Use {
    void start() {}
    void thread() { new Thread() { public void run() { start(); this.start(); } }; }
    void other() { new Other() { void z() { run(); start(); z(); } }; }
    void local() {
        class Loc { void start() {} void k() { start(); } }
        class Ext extends Thread { void k() { start(); } }
        new Loc();
    }
    void lambda() { Runnable r = () -> start(); }
}
class Loc {}
== Other.java
package p;
public class Other { public void run() {} }
"#,
        &[
            "Use.java::Use.lambda calls Use.java::Use.start",
            "Use.java::Use.local calls Use.java::Use.local.Loc",
            "Use.java::Use.local.Loc.k calls Use.java::Use.local.Loc.start",
            "Use.java::Use.other calls Other.java::Other",
            "Use.java::Use.other.z calls Other.java::Other.run",
            "Use.java::Use.other.z calls Use.java::Use.start",
        ],
    );
}

#[test]
fn pattern_variables_hide_types() {
    check_uses(
        r#"== pool.java
package p;
public class pool { public static void run() {} }
== Use.java
package p;
class Use {
    void is(Object o) { if (o instanceof Other pool) pool.run(); }
    void in(Object o) { switch (o) { case Other pool -> pool.run(); } }
    void of(Object o) { if (o instanceof Pair(Other pool, int x)) pool.run(); }
    void none() { pool.run(); }
}
"#,
        &["Use.java::Use.none calls pool.java::pool.run"],
    );
}

#[test]
fn constructed_types_are_not_functions_and_may_be_inherited() {
    check_uses(
        r#"== Base.java
package p;
class Base { Base() {} static class Part { static void go() {} } }
== Use.java
package p;
class Use extends Base {
    Use() {}
    void Line() {}
    Object make() { Part.go(); new Part(); new Line(); new Use(); return new Base(); }
}
class Part { static void go() {} }
class Line {}
"#,
        &[
            "Use.java::Use extends Base.java::Base",
            "Use.java::Use.make calls Base.java::Base",
            "Use.java::Use.make calls Base.java::Base.Part",
            "Use.java::Use.make calls Base.java::Base.Part.go",
            "Use.java::Use.make calls Use.java::Line",
            "Use.java::Use.make calls Use.java::Use",
        ],
    );
}
