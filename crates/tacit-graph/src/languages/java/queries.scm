(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(enum_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(method_declaration name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.function

(object_creation_expression type: (_) @name (class_body) @def.anonymous)

(superclass [(type_identifier) @extends (scoped_type_identifier) @extends (generic_type . (_) @extends)])
(super_interfaces (type_list [(type_identifier) @implements (scoped_type_identifier) @implements (generic_type . (_) @implements)]))
(extends_interfaces (type_list [(type_identifier) @extends (scoped_type_identifier) @extends (generic_type . (_) @extends)]))

(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @object name: (identifier) @call)
(object_creation_expression type: [(type_identifier) @new (scoped_type_identifier) @new (generic_type . (_) @new)])
(method_reference . (identifier) @use)
(field_access object: (identifier) @use)
(type_identifier) @use
(scoped_type_identifier) @use
(marker_annotation name: (_) @use)
(annotation name: (_) @use)

(formal_parameter name: (identifier) @bind)
(spread_parameter (variable_declarator name: (identifier) @bind))
(variable_declarator name: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(catch_formal_parameter name: (identifier) @bind)
(enhanced_for_statement name: (identifier) @bind)
(resource name: (identifier) @bind)
(instanceof_expression name: (identifier) @bind)
(type_pattern (identifier) @bind)
(record_pattern_component (identifier) @bind)
(type_parameter (type_identifier) @bind)

(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration) @import
