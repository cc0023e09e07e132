(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (_) @name) @def.class
(class name: (_) @name) @def.class
(class_body (method_definition name: (_) @name) @def.function)
(object (method_definition name: (_) @name) @def.member)
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (class)]) @def.member
(assignment_expression
  left: (member_expression) @_exports
  right: (object [
    (method_definition name: (property_identifier) @name)
    (pair key: (property_identifier) @name value: [(arrow_function) (function_expression)])] @def.offered)
  (#eq? @_exports "module.exports"))
(call_expression
  function: [(identifier) @_test (member_expression object: (identifier) @_test)]
  arguments: (arguments . [(string (string_fragment) @name) (template_string) @name] [(arrow_function) (function_expression)])
  (#any-of? @_test "it" "test" "describe")) @def.test

(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)

(arrow_function parameter: (identifier) @bind)
(variable_declarator name: (identifier) @bind)
(function_expression name: (identifier) @bind)
(assignment_pattern left: (identifier) @bind)
(shorthand_property_identifier_pattern) @bind
(pair_pattern value: (identifier) @bind)
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)

(assignment_expression left: (member_expression object: (identifier) @_exports) (#any-of? @_exports "exports" "module")) @import
(assignment_expression left: (member_expression object: (member_expression) @_exports) (#eq? @_exports "module.exports")) @import
(import_statement) @import
(export_statement) @import
(call_expression function: (import) arguments: (arguments . (string))) @import
(call_expression function: (import) arguments: (arguments . [(template_string) (binary_expression) (identifier) (member_expression) (subscript_expression) (call_expression) (ternary_expression)])) @import
(call_expression function: (identifier) @_require arguments: (arguments . [(template_string) (binary_expression) (identifier) (member_expression) (subscript_expression) (call_expression) (ternary_expression)]) (#eq? @_require "require")) @import
(call_expression function: (identifier) @_require arguments: (arguments . (string)) (#eq? @_require "require")) @import
