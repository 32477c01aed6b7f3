//! Pure statistics over samples.
