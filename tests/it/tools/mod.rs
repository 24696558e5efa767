//! Every parameter and every error of the page tools, by their effects in the page.

mod console;
mod debugging;
mod emulation;
mod input;
mod navigation;
mod network;
mod performance;
mod slim;
mod workers;
