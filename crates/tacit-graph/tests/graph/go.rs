//! Resolves imports and calls in Go.

use crate::{check_imports, check_uses};

#[test]
fn packages_resolve_through_module_paths() {
    check_imports(
        r#"== go.mod
module example.com/shop

replace example.com/local => ./third/local
== main.go
package main

import (
    "fmt"
    "example.com/shop/cart"
    aliased "example.com/shop/order"
    "example.com/local/util"
    _ "example.com/shop/effects"
    "example.com/shop/gone"
    "example.com/shopping/other"
)

func main() {
    fmt.Println(cart.New(), aliased.Limit)
    util.Do()
}
== cart/cart.go
package cart

func New() *Cart { return &Cart{} }
== cart/types.go
package cart

type Cart struct{ lines []line }
== cart/line.go
package cart

type line struct{}
== cart/cart_test.go
package cart

func TestNew() { New() }
== order/order.go
package order

const Limit = 3
== order/unused.go
package order
== effects/a.go
package effects
== effects/b.go
package effects
== third/local/go.mod
module example.com/local
== third/local/util/util.go
package util

func Do() {}
"#,
        &[
            "cart/cart.go -> cart/types.go",
            "cart/cart_test.go -> cart/cart.go",
            "cart/types.go -> cart/line.go",
            "main.go -> cart/cart.go",
            "main.go -> effects/a.go",
            "main.go -> effects/b.go",
            "main.go -> order/order.go",
            "main.go -> third/local/util/util.go",
            "main.go ? example.com/shop/gone",
        ],
    );
}

#[test]
fn calls_resolve_within_packages_and_through_imports() {
    check_uses(
        r#"== go.mod
module m
== a.go
package m

import "m/b"

type Base struct{}
type Child struct{ Base; b.Other }

func (c *Child) Run() { helper(); b.Help(); c.gone(); other := 1; other() }
func shadow(helper func()) { helper() }
== helper.go
package m

func helper() {}
func other() {}
== b/b.go
package b

type Other struct{}
func Help() {}
== c/c.go
package c

func Caller() { Help(); helper() }
"#,
        &[
            "a.go::Child extends a.go::Base",
            "a.go::Child extends b/b.go::Other",
            "a.go::Child.Run calls b/b.go::Help",
            "a.go::Child.Run calls helper.go::helper",
        ],
    );
}
