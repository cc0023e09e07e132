(class name: [(constant) (scope_resolution)] @name) @def.class
(module name: [(constant) (scope_resolution)] @name) @def.module
(method name: (_) @name) @def.function
(singleton_method name: (_) @name) @def.function
(singleton_class value: (_) @name) @def.extension
(assignment left: (constant) @name @def.value)
(assignment left: (constant) @name right: (call receiver: (constant) @word block: (_)) @def.class (#any-of? @word "Class" "Struct" "Data"))
(assignment left: (constant) @name right: (call receiver: (constant) @word block: (_)) @def.module (#eq? @word "Module"))
; An anonymous class: calls inside it do not refer to members of the enclosing class.
(call receiver: (constant) @word method: (identifier) @name block: (_) (#any-of? @word "Class" "Module" "Struct" "Data") (#any-of? @name "new" "define")) @def.extension
(call !receiver method: (identifier) @word arguments: (argument_list (simple_symbol) @name @def.value) (#any-of? @word "attr_reader" "attr_accessor" "define_method" "delegate" "has_many" "has_one" "belongs_to"))
(call method: (identifier) @word arguments: (argument_list . [(string) (constant) (scope_resolution)] @name) block: (_) (#any-of? @word "describe" "context" "it" "specify" "feature" "scenario" "test")) @def.test

(superclass [(constant) (scope_resolution)] @extends)
(assignment left: (constant) right: (call receiver: (constant) @extends block: (_)) (#any-of? @extends "Struct" "Data"))
(assignment left: (constant) right: (call receiver: (constant) @word arguments: (argument_list . [(constant) (scope_resolution)] @extends) block: (_)) (#eq? @word "Class"))
(call !receiver method: (identifier) @word arguments: (argument_list [(constant) (scope_resolution)] @implements) (#any-of? @word "include" "extend" "prepend"))

(call receiver: [(constant) (scope_resolution)] @call method: (identifier) @word (#eq? @word "new"))
(call receiver: [(constant) (scope_resolution) (self) (identifier)] @object method: (identifier) @call)
(call !receiver method: (identifier) @call)
(body_statement (identifier) @call)
(constant) @use
(scope_resolution) @use

(method_parameters [(identifier) @bind (_ name: (identifier) @bind)])
(block_parameters [(identifier) @bind (_ name: (identifier) @bind)])
(lambda_parameters [(identifier) @bind (_ name: (identifier) @bind)])
(assignment left: (identifier) @bind)
(left_assignment_list (identifier) @bind)
(operator_assignment left: (identifier) @bind)
(exception_variable (identifier) @bind)
(for pattern: (identifier) @bind)

(call !receiver method: (identifier) @word (#any-of? @word "require" "require_relative" "autoload")) @import
