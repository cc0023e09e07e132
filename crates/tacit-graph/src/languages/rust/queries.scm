(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(macro_definition name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.class
(enum_item name: (type_identifier) @name) @def.class
(union_item name: (type_identifier) @name) @def.class
(type_item name: (type_identifier) @name) @def.class
(trait_item name: (type_identifier) @name) @def.interface
(mod_item name: (identifier) @name body: (_)) @def.module

(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @def.extension
(impl_item trait: [
  (type_identifier) @implements
  (scoped_type_identifier) @implements
  (generic_type type: (_) @implements)])
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @extends))

(call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
(call_expression function: (generic_function function: [(identifier) (scoped_identifier) (field_expression)] @call))
(macro_invocation macro: [(identifier) (scoped_identifier)] @call)
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @use)
(scoped_type_identifier) @use
(scoped_identifier) @use

(parameter pattern: (identifier) @bind)
(let_declaration pattern: (identifier) @bind)
(let_condition pattern: (identifier) @bind)
(closure_parameters (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(tuple_pattern (identifier) @bind)
(tuple_struct_pattern type: (_) (identifier) @bind)
(captured_pattern (identifier) @bind)
(match_pattern (identifier) @bind)
(field_pattern name: (shorthand_field_identifier) @bind)
(type_parameter name: (type_identifier) @bind)

(use_declaration) @import
(extern_crate_declaration) @import
(mod_item !body) @import

; `mod.rs` keeps only macros between items. A pattern that starts at the root would have to be
; tracked through the whole file.
(macro_invocation (token_tree) @import)
(macro_invocation (token_tree)) @tokens
