mod reference;
mod squaring;
