(class_declaration ["class" "struct" "enum" "actor"] name: (type_identifier) @name) @def.class
(class_declaration "extension" name: (user_type) @name) @def.extension
(protocol_declaration name: (type_identifier) @name) @def.interface
(typealias_declaration name: (type_identifier) @name) @def.class
(function_declaration name: (simple_identifier) @name) @def.function
(protocol_function_declaration name: (simple_identifier) @name) @def.function
(init_declaration "init" @name) @def.function
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name @def.value)))
(class_declaration (type_parameters (type_parameter . (type_identifier) @name @def.value)))
(associatedtype_declaration name: (type_identifier) @name @def.value)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.value)

(class_declaration (inheritance_specifier inherits_from: (user_type) @extends))
(protocol_declaration (inheritance_specifier inherits_from: (user_type) @extends))

(call_expression . [(simple_identifier) (navigation_expression)] @call)
(user_type) @use
(navigation_expression target: (simple_identifier)) @use
(key_path_expression . (type_identifier) @use)

(parameter name: (simple_identifier) @bind)
(pattern bound_identifier: (simple_identifier) @bind)
(guard_statement bound_identifier: (simple_identifier) @bind)
(if_statement bound_identifier: (simple_identifier) @bind)
(lambda_parameter name: (simple_identifier) @bind)
(type_parameter (type_identifier) @bind)
(associatedtype_declaration name: (type_identifier) @bind)

(import_declaration) @import
(source_file (class_declaration (modifiers (visibility_modifier) @import)))
(source_file (protocol_declaration (modifiers (visibility_modifier) @import)))
(source_file (typealias_declaration (modifiers (visibility_modifier) @import)))
(source_file (function_declaration (modifiers (visibility_modifier) @import)))
(source_file (property_declaration (modifiers (visibility_modifier) @import)))
