//! Kernel families: each turns stages of one shape into functions, or declines.

pub mod contract;
pub mod halo;
pub mod native;
pub mod nest;
pub mod transpose;
pub mod window;
