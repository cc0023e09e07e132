(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.class
(enum_declaration name: (identifier) @name) @def.class
(delegate_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(method_declaration name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.function
(local_function_statement name: (identifier) @name) @def.function
(namespace_declaration name: (_) @name) @def.module

(property_declaration name: (identifier) @name @def.value)
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name @def.value)))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name @def.value)))
(enum_member_declaration name: (identifier) @name @def.value)

(base_list [(identifier) (qualified_name) (generic_name)] @extends)
(base_list (primary_constructor_base_type type: (_) @extends))

(invocation_expression function: [(identifier) (generic_name) (member_access_expression)] @call)
(object_creation_expression type: [(identifier) (qualified_name) (generic_name)] @new)

(variable_declaration type: [(identifier) (qualified_name) (generic_name)] @use)
(parameter type: [(identifier) (qualified_name) (generic_name)] @use)
(property_declaration type: [(identifier) (qualified_name) (generic_name)] @use)
(method_declaration returns: [(identifier) (qualified_name) (generic_name)] @use)
(type_argument_list [(identifier) (qualified_name) (generic_name)] @use)
(type_parameter_constraint type: [(identifier) (qualified_name) (generic_name)] @use)
(nullable_type type: [(identifier) (qualified_name) (generic_name)] @use)
(array_type type: [(identifier) (qualified_name) (generic_name)] @use)
(array_creation_expression type: (array_type type: [(identifier) (qualified_name) (generic_name)] @use))
(cast_expression type: [(identifier) (qualified_name) (generic_name)] @use)
(typeof_expression type: [(identifier) (qualified_name) (generic_name)] @use)
(as_expression right: [(identifier) (qualified_name) (generic_name)] @use)
(is_expression right: [(identifier) (qualified_name) (generic_name)] @use)
(constant_pattern [(identifier) (generic_name)] @use)
(recursive_pattern type: [(identifier) (qualified_name) (generic_name)] @use)
(declaration_pattern type: [(identifier) (qualified_name) (generic_name)] @use)
(catch_declaration type: [(identifier) (qualified_name) (generic_name)] @use)
(foreach_statement type: [(identifier) (qualified_name) (generic_name)] @use)
(attribute name: (_) @attribute)
(member_access_expression expression: [(identifier) (member_access_expression)]) @use

(parameter name: (identifier) @bind)
(implicit_parameter) @bind
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @bind)))
(for_statement initializer: (variable_declaration (variable_declarator name: (identifier) @bind)))
(using_statement (variable_declaration (variable_declarator name: (identifier) @bind)))
(foreach_statement left: (identifier) @bind)
(declaration_pattern name: (identifier) @bind)
(recursive_pattern name: (identifier) @bind)
(var_pattern name: (identifier) @bind)
(declaration_expression name: (identifier) @bind)
(catch_declaration name: (identifier) @bind)
(type_parameter name: (identifier) @bind)

(file_scoped_namespace_declaration name: (_) @package)
(using_directive) @import
