(function_declaration name: (identifier) @name) @def.function
(method_declaration name: (field_identifier) @name) @def.function
(type_spec name: (type_identifier) @name) @def.class
(type_alias name: (type_identifier) @name) @def.class
(field_declaration !name type: [(type_identifier) (qualified_type)] @extends)

(call_expression function: [(identifier) (selector_expression)] @call)
(type_identifier) @use
(qualified_type) @use
(selector_expression operand: (identifier)) @use

(parameter_declaration name: (identifier) @bind)
(variadic_parameter_declaration name: (identifier) @bind)
(short_var_declaration left: (expression_list (identifier) @bind))
(var_spec name: (identifier) @bind)
(range_clause left: (expression_list (identifier) @bind))
(receive_statement left: (expression_list (identifier) @bind))
(type_switch_statement alias: (expression_list (identifier) @bind))
(type_parameter_declaration name: (identifier) @bind)

(package_clause (package_identifier) @package)
(import_spec) @import

(source_file (const_declaration (const_spec name: (identifier) @name) @def.value))
(source_file (var_declaration (var_spec name: (identifier) @name) @def.value))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.value)))
