(call_expression function: [(identifier) (field_expression)] @call)
