(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @def.function
(preproc_function_def name: (identifier) @name) @def.function

(declaration declarator: (function_declarator declarator: (identifier) @name) @def.value)
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name) @def.value))
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name) @def.value)))

(struct_specifier name: (type_identifier) @name body: (_)) @def.class
(union_specifier name: (type_identifier) @name body: (_)) @def.class
(enum_specifier name: (type_identifier) @name body: (_)) @def.class
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_)) (enum_specifier !name body: (_))] declarator: (type_identifier) @name) @def.class

(parameter_declaration declarator: (identifier) @bind)
(pointer_declarator declarator: (identifier) @bind)
(array_declarator declarator: (identifier) @bind)
(init_declarator declarator: (identifier) @bind)
(declaration declarator: (identifier) @bind)

(preproc_include) @import
(preproc_call) @import
(preproc_if condition: (number_literal) @word (#eq? @word "0")) @dead
