//! The generator behind every random input and every random-rounding run: xoshiro256** (Blackman and Vigna, "Scrambled
//! linear pseudorandom number generators", 2018), seeded by SplitMix64. The same seed gives the same numbers on every
//! machine; streams of different names are independent of each other's length.

/// A stream of pseudorandom numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
    spare: Option<f64>,
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let mut s = seed;
        Self { state: std::array::from_fn(|_| splitmix(&mut s)), spare: None }
    }

    /// The stream of a seed and a name (FNV-1a of its bytes), so that one input's values do not depend on the others.
    pub fn named(seed: u64, name: &str) -> Self {
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self::new(seed ^ hash.rotate_left(17))
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let out = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform among `lo..hi`; `lo` where the range is empty.
    pub fn range(&mut self, lo: i64, hi: i64) -> i64 {
        let width = (i128::from(hi) - i128::from(lo)).max(1) as u128;
        let wide = u128::from(self.bits()) * width;
        lo.wrapping_add((wide >> 64) as i64)
    }

    /// Standard normal (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        if let Some(x) = self.spare.take() {
            return x;
        }
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let r = x * x + y * y;
            if r > 0.0 && r < 1.0 {
                let f = (-2.0 * r.ln() / r).sqrt();
                self.spare = Some(y * f);
                return x * f;
            }
        }
    }

    /// Uniform of variance 1, that is in ±√3: the shape of a rounding error, and four times cheaper than a normal.
    pub fn rounding(&mut self) -> f64 {
        (2.0 * self.unit() - 1.0) * 1.732_050_807_568_877_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_repetition() {
        let draw = |seed| {
            let mut r = Rng::new(seed);
            (0..20_000).map(|_| r.normal()).collect::<Vec<_>>()
        };
        let x = draw(1);
        assert_eq!(x, draw(1));
        assert_ne!(x, draw(2));
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let var = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
        assert!(mean.abs() < 0.03 && (var - 1.0).abs() < 0.05, "{mean} {var}");
        let mut r = Rng::named(3, "x");
        let u: Vec<f64> = (0..20_000).map(|_| r.rounding()).collect();
        let var = u.iter().map(|v| v * v).sum::<f64>() / u.len() as f64;
        assert!((var - 1.0).abs() < 0.05, "{var}");
    }

    #[test]
    fn ranges_are_inside() {
        let mut r = Rng::new(5);
        let drawn: Vec<i64> = (0..1000).map(|_| r.range(-3, 2)).collect();
        assert!(drawn.iter().all(|x| (-3..2).contains(x)));
        assert!((-3..2).all(|v| drawn.contains(&v)));
        assert_eq!(r.range(7, 7), 7);
    }
}
