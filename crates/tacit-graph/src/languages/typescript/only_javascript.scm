(class_heritage [(identifier) (member_expression)] @extends)
(formal_parameters (identifier) @bind)

