(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(class_definition superclasses: (argument_list [(identifier) (attribute)] @extends))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @extends)))

(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)

(parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(default_parameter name: (identifier) @bind)
(typed_parameter (identifier) @bind)
(typed_default_parameter name: (identifier) @bind)
(assignment left: (identifier) @bind)
(pattern_list (identifier) @bind)
(for_statement left: (identifier) @bind)
(for_in_clause left: (identifier) @bind)
(as_pattern_target (identifier) @bind)
(named_expression name: (identifier) @bind)

(import_statement) @import
(import_from_statement) @import
(call function: [(identifier) (attribute)] @word (#any-of? @word "import_module" "importlib.import_module" "__import__")) @import
