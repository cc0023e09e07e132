//! Resolves imports and names in Python.

use crate::check_imports;

#[test]
fn relative_imports_start_at_the_package() {
    check_imports(
        "== pkg/__init__.py
from .a import run
from . import sub
== pkg/a.py
from .sub.deep import thing
from .sub import deep
from .. import outside
from ... import too_far
== pkg/sub/__init__.py
from ..a import run
from . import missing
== pkg/sub/deep.py
import pkg.sub.deep
",
        &[
            "pkg/__init__.py -> pkg/a.py",
            "pkg/__init__.py -> pkg/sub/__init__.py",
            "pkg/a.py -> pkg/sub/deep.py",
            "pkg/a.py ? ...: too_far",
            "pkg/a.py ? ..: outside",
            "pkg/sub/__init__.py -> pkg/a.py",
        ],
    );
}

#[test]
fn absolute_imports_start_at_the_roots() {
    check_imports(
        r#"== pyproject.toml
[tool.setuptools.packages.find]
where = ["lib"]
== src/shop/__init__.py
== src/shop/cart.py
import shop.order as o, os, numpy as np
from shop import order
from shop.order import Order, Missing
from shop import nothing
import shop.gone
== src/shop/order.py
== lib/helpers/__init__.py
== tests/test_cart.py
from shop.cart import add
import helpers
import conftest
== tests/conftest.py
"#,
        &[
            "src/shop/cart.py -> src/shop/__init__.py",
            "src/shop/cart.py -> src/shop/order.py",
            "src/shop/cart.py ? shop.gone",
            "tests/test_cart.py -> lib/helpers/__init__.py",
            "tests/test_cart.py -> src/shop/cart.py",
            "tests/test_cart.py -> tests/conftest.py",
        ],
    );
}

#[test]
fn namespace_packages_resolve() {
    check_imports(
        "== space/one/__init__.py
from space.two import f
from space import two
import space
== space/two/__init__.py
def f(): pass
",
        &["space/one/__init__.py -> space/two/__init__.py"],
    );
}

#[test]
fn definitions_hide_submodules_and_code_comes_before_stubs() {
    check_imports(
        "== pkg/__init__.py
def run(): pass
== pkg/run.py
== pkg/typed.py
== pkg/typed.pyi
== main.py
from pkg import run
from pkg import typed
from pkg import *
",
        &["main.py -> pkg/__init__.py", "main.py -> pkg/typed.py"],
    );
}

#[test]
fn names_resolve_through_package_reexports() {
    crate::check_uses(
        "== pkg/__init__.py
from .impl import work as job
from .impl import Base
== pkg/impl.py
def work(): helper()
def helper(): pass
class Base:
    def run(self): pass
== main.py
import pkg
import pkg.impl
from pkg import job, Base
class Child(Base):
    def go(self):
        self.run()
        job()
        pkg.impl.helper()
        pkg.job()
def shadow(job): job()
",
        &[
            "main.py::Child extends pkg/impl.py::Base",
            "main.py::Child.go calls pkg/impl.py::Base.run",
            "main.py::Child.go calls pkg/impl.py::helper",
            "main.py::Child.go calls pkg/impl.py::work",
            "pkg/impl.py::work calls pkg/impl.py::helper",
        ],
    );
}
