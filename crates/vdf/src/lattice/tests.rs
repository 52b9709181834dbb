mod composition;
mod reference;
mod squaring;
