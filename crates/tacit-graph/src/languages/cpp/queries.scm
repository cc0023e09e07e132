(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @def.function
(function_definition declarator: (function_declarator declarator: [(qualified_identifier) (field_identifier)] @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: [(qualified_identifier) (field_identifier)] @name))) @def.function
(function_definition declarator: (reference_declarator (function_declarator declarator: [(qualified_identifier) (field_identifier)] @name))) @def.function
(expression_statement (call_expression function: (identifier) @macro arguments: (argument_list . (string_literal) @name)) (#any-of? @macro "TEST_CASE" "SCENARIO" "TEST_CASE_METHOD" "TEMPLATE_TEST_CASE")) @def.test

(declaration declarator: (reference_declarator (function_declarator declarator: (identifier) @name) @def.value))
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name) @def.value)
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name) @def.value))
(field_declaration declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name) @def.value))

; A field hides other definitions of its name, also in members defined outside the class.
(field_declaration declarator: (field_identifier) @name @def.value @bind)
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name @def.value @bind))
(field_declaration declarator: (reference_declarator (field_identifier) @name @def.value @bind))
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name @def.value @bind))
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name @def.value @bind))))

(class_specifier name: (type_identifier) @name body: (_)) @def.class
(alias_declaration name: (type_identifier) @name) @def.value
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name) @def.module

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @extends)
(call_expression function: [(identifier) (field_expression) (qualified_identifier) (template_function)] @call)
(new_expression type: [(type_identifier) (qualified_identifier) (template_type)] @call)

(reference_declarator (identifier) @bind)
(optional_parameter_declaration declarator: (identifier) @bind)
(for_range_loop declarator: (identifier) @bind)
(lambda_capture_initializer left: (identifier) @bind)
(structured_binding_declarator (identifier) @bind)

(declaration type: [(type_identifier) (qualified_identifier) (template_type)] declarator: (function_declarator declarator: (identifier) @bind))
(type_parameter_declaration (type_identifier) @bind.next)
(variadic_type_parameter_declaration (type_identifier) @bind.next)
(optional_type_parameter_declaration name: (type_identifier) @bind.next)

(using_declaration) @import
