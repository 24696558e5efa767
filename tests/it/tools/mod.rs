//! Every parameter and every error of the page tools, by their effects in the page.

mod debugging;
mod emulation;
mod input;
mod navigation;
mod network;
mod slim;
