mod composition;
mod pieces;
mod reference;
mod squaring;
