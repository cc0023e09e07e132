(class_declaration "interface" (type_identifier) @name) @def.interface
(class_declaration "class" (type_identifier) @name) @def.class
(object_declaration (type_identifier) @name) @def.class
(type_alias (type_identifier) @name) @def.class
(function_declaration (simple_identifier) @name) @def.function
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @def.value)
(class_body (property_declaration (variable_declaration (simple_identifier) @name @def.value)))
(enum_class_body (property_declaration (variable_declaration (simple_identifier) @name @def.value)))
(class_parameter (binding_pattern_kind) (simple_identifier) @name @def.value)
(enum_entry (simple_identifier) @name @def.value)
(call_expression . (string_literal) @name (call_suffix (annotated_lambda))) @def.test
(call_expression . (simple_identifier) @word (call_suffix (value_arguments . (value_argument (string_literal) @name)) (annotated_lambda)) (#any-of? @word "test" "it" "should" "describe" "context" "given" "then" "scenario" "feature")) @def.test
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @name)) (call_suffix (annotated_lambda) @def.anonymous) (#any-of? @name "apply" "run"))
(call_expression . (simple_identifier) @name (call_suffix (annotated_lambda) @def.anonymous) (#any-of? @name "with" "buildString" "buildList" "buildMap" "buildSet"))
(object_literal (delegation_specifier [(user_type) @name (constructor_invocation (user_type) @name) (explicit_delegation (user_type) @name)]) (class_body) @def.anonymous)
(object_literal . (class_body) @name @def.anonymous)
(call_expression . (object_literal (delegation_specifier [(user_type) @name (constructor_invocation (user_type) @name) (explicit_delegation (user_type) @name)])) (call_suffix (annotated_lambda) @def.anonymous))

(class_declaration (delegation_specifier [(user_type) @extends (constructor_invocation (user_type) @extends) (explicit_delegation (user_type) @extends)]))
(object_declaration (delegation_specifier [(user_type) @extends (constructor_invocation (user_type) @extends) (explicit_delegation (user_type) @extends)]))

(call_expression . [(simple_identifier) (navigation_expression)] @call)
(user_type) @use
(navigation_expression . (simple_identifier)) @use
(callable_reference . (type_identifier) @use)

(parameter (simple_identifier) @bind)
(class_parameter (simple_identifier) @bind)
(variable_declaration (simple_identifier) @bind)
(catch_block (simple_identifier) @bind)
(type_parameter (type_identifier) @bind)

(package_header (identifier) @package)
(import_header) @import
