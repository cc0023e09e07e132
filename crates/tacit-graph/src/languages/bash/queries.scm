(function_definition name: (word) @name) @def.function
(command name: (command_name (word) @word) argument: [(string) (raw_string)] @name (#eq? @word "@test")) @def.test

(command name: (command_name (word) @call))

(command name: (command_name (word) @word) (#any-of? @word "source" "." "load")) @import
