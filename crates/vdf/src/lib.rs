//! The class-group verifiable delay function.
