(class_definition name: (identifier) @name) @def.class
(object_definition name: (identifier) @name) @def.object
(enum_definition name: (identifier) @name) @def.class
(trait_definition name: (identifier) @name) @def.interface
(function_definition name: (identifier) @name) @def.function
(function_declaration name: (identifier) @name) @def.function
(type_definition name: (type_identifier) @name) @def.value
(template_body (val_definition pattern: (identifier) @name @def.value))
(template_body (var_definition pattern: (identifier) @name @def.value))
(class_parameter ["val" "var"] name: (identifier) @name @def.value)
(instance_expression . (_) @name (template_body) @def.anonymous)
(package_clause name: (_) @name body: (_)) @def.module
(package_object name: (identifier) @name) @def.module
(call_expression function: (call_expression function: (identifier) @word arguments: (arguments . (string) @name)) arguments: (block) (#any-of? @word "test" "it" "describe" "scenario" "feature" "property")) @def.test
(infix_expression left: (infix_expression right: (string) @name) operator: (identifier) @word right: (block) (#eq? @word "in")) @def.test
(infix_expression left: (string) @name operator: (identifier) @word right: (block) (#any-of? @word "in" "should")) @def.test

(extends_clause [(type_identifier) @extends (stable_type_identifier) @extends (generic_type type: (_) @extends)])

(call_expression function: [(identifier) (field_expression)] @call)
(call_expression function: (generic_function function: [(identifier) (field_expression)] @call))
(instance_expression [(type_identifier) @new (stable_type_identifier) @new (generic_type type: (_) @new)])
(type_identifier) @use
(stable_type_identifier) @use
(field_expression value: (identifier)) @use

(parameter name: (identifier) @bind)
(class_parameter name: (identifier) @bind)
(val_definition pattern: (identifier) @bind)
(var_definition pattern: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(binding name: (identifier) @bind)
(case_class_pattern pattern: (identifier) @bind)
(typed_pattern pattern: (identifier) @bind)
(case_clause pattern: (identifier) @bind)
(enumerator . (identifier) @bind)
(type_parameters name: (identifier) @bind)

(package_clause !body) @import
(import_declaration) @import
