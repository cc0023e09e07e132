(class_declaration name: (name) @name) @def.class
(enum_declaration name: (name) @name) @def.class
(anonymous_class "class" @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.interface
(method_declaration name: (name) @name) @def.function
(function_definition name: (name) @name) @def.function
(namespace_definition name: (namespace_name) @name body: (_)) @def.module
(function_call_expression function: (name) @word arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function) (arrow_function)])) (#any-of? @word "it" "test" "describe")) @def.test

(base_clause [(name) (qualified_name)] @extends)
(class_interface_clause [(name) (qualified_name)] @implements)
; Unlike an interface, a trait has method bodies.
(use_declaration [(name) (qualified_name)] @extends)

(function_call_expression function: [(name) (qualified_name)] @call)
(object_creation_expression [(name) (qualified_name)] @call)
(scoped_call_expression scope: (_) @object name: (name) @call)
(member_call_expression object: (_) @object name: (name) @call)
(nullsafe_member_call_expression object: (_) @object name: (name) @call)

(named_type [(name) (qualified_name)] @use)
(class_constant_access_expression . [(name) (qualified_name)] @use)
(scoped_property_access_expression scope: [(name) (qualified_name)] @use)
(binary_expression operator: "instanceof" right: [(name) (qualified_name)] @use)
(attribute [(name) (qualified_name)] @use)

(variable_name) @bind

(namespace_definition !body) @import
(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
