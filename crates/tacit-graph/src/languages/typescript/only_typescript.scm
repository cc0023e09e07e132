(abstract_class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(type_alias_declaration name: (_) @name) @def.interface
(enum_declaration name: (_) @name) @def.class
(internal_module name: (identifier) @name) @def.module
(extends_clause value: [(identifier) (member_expression)] @extends)
(extends_type_clause type: [(type_identifier) (nested_type_identifier) (generic_type name: (_))] @extends)
(implements_clause [(type_identifier) (nested_type_identifier) (generic_type name: (_))] @implements)
(required_parameter pattern: (identifier) @bind)
(optional_parameter pattern: (identifier) @bind)
(type_parameter name: (type_identifier) @bind)
