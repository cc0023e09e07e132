(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
; Only kept if they shadow an earlier import.
(module (expression_statement (assignment left: (identifier) @name) @def.value))
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
(augmented_assignment left: (identifier) @bind)
(pattern_list (identifier) @bind)
(tuple_pattern (identifier) @bind)
(list_pattern (identifier) @bind)
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
(case_pattern (dotted_name . (identifier) @bind .))
(keyword_pattern (dotted_name . (identifier) @bind .))
(splat_pattern (identifier) @bind)
(for_statement left: (identifier) @bind)
(for_in_clause left: (identifier) @bind)
(as_pattern_target (identifier) @bind)
(as_pattern_target [(tuple (identifier) @bind) (list (identifier) @bind)])
(case_pattern (as_pattern (identifier) @bind))
(named_expression name: (identifier) @bind)

(decorated_definition
  (decorator (identifier) @_static)
  definition: (function_definition parameters: (parameters . [(identifier) @rebind (typed_parameter . (identifier) @rebind)]))
  (#eq? @_static "staticmethod"))

(global_statement (identifier) @global)
(import_statement) @import
(import_from_statement) @import
(call function: [(identifier) (attribute)] @word (#any-of? @word "import_module" "importlib.import_module" "__import__")) @import
