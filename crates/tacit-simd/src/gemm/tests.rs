//! Compares every level with plain definitions, for many shapes and values.

use super::attention::HEAD;
use super::{AttentionScratch, Kernel, Linear, PackError, PackedColumns, Quantization, pack, view};

/// A pseudo-random generator; the cases are the same in every run.
struct CaseRandom(u64);

impl CaseRandom {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn floats(&mut self, len: usize, size: f32) -> Vec<f32> {
        let mut one = || (self.next() % 2_000_001) as f32 / 1_000_000.0 - 1.0;
        (0..len).map(|_| one() * size).collect()
    }
}

/// A matrix product: activations with their stride, and weights row by row.
struct Product {
    m: usize,
    k: usize,
    n: usize,
    rows: Vec<u8>,
    weights: Vec<i8>,
}

impl Product {
    fn generate(random: &mut CaseRandom, m: usize, k: usize, n: usize) -> Self {
        let stride = k.next_multiple_of(4);
        let rows = (0..m * stride).map(|_| random.next() as u8).collect();
        let weights = (0..k * n).map(|_| (random.below(129) as i8).wrapping_sub(64)).collect();
        Self { m, k, n, rows, weights }
    }

    /// Returns the sums as floats, as of a layer with scales of one and no bias.
    fn expected(&self) -> Vec<f32> {
        let stride = self.k.next_multiple_of(4);
        let sum = |row: usize, column: usize| -> i32 {
            (0..self.k)
                .map(|k| {
                    let weight = i32::from(self.weights[k * self.n + column]);
                    i32::from(self.rows[row * stride + k]) * weight
                })
                .sum()
        };
        (0..self.m * self.n).map(|at| sum(at / self.n, at % self.n) as f32).collect()
    }

    fn check(&self) {
        let (bytes, col_sums) = pack(&self.weights, self.k, self.n).expect("weights in range");
        let columns = PackedColumns::new(&bytes, &col_sums, self.k, self.n).expect("fits");
        let (scales, bias) = (vec![1.0; self.n], vec![0.0; self.n]);
        let layer = Linear::new(columns, &scales, &bias).expect("fits");
        let quantization = Quantization { scale: 1.0, zero_point: 0 };
        for kernel in Kernel::available() {
            let mut out = vec![f32::NAN; self.m * self.n];
            kernel.linear(&self.rows, quantization, &layer, &mut out);
            let shape = (self.m, self.k, self.n);
            assert_eq!(out, self.expected(), "{shape:?} on {:?}", kernel.level());
        }
    }
}

#[test]
fn products_are_exact_at_every_level_and_shape() {
    let random = &mut CaseRandom(0x7ac1_7000);
    for _ in 0..400 {
        let (m, k, n) = (random.below(20) + 1, random.below(80) + 1, random.below(150) + 1);
        Product::generate(random, m, k, n).check();
    }
    for m in 1..=13 {
        Product::generate(random, m, 384, 64).check();
    }
}

#[test]
fn products_of_extremes_do_not_overflow() {
    for weight in [-64, 64] {
        let (m, k, n) = (7, 1536, 17);
        Product { m, k, n, rows: vec![255; m * k], weights: vec![weight; k * n] }.check();
    }
}

#[test]
fn weights_that_could_overflow_are_rejected() {
    assert_eq!(pack(&[0, 65], 1, 2), Err(PackError::Range(65)));
    assert_eq!(pack(&[-128], 1, 1), Err(PackError::Range(-128)));
    assert_eq!(pack(&[0, 0, 0], 2, 2), Err(PackError::Shape));
}

#[test]
fn linear_subtracts_the_zero_point_and_levels_agree() {
    let random = &mut CaseRandom(0x7ac1_7001);
    for (m, k, n) in [(1, 8, 5), (7, 384, 384), (13, 64, 100)] {
        let product = Product::generate(random, m, k, n);
        let (bytes, col_sums) = pack(&product.weights, k, n).expect("weights in range");
        let columns = PackedColumns::new(&bytes, &col_sums, k, n).expect("fits");
        let (scales, bias) = (random.floats(n, 0.01), random.floats(n, 2.0));
        let layer = Linear::new(columns, &scales, &bias).expect("fits");
        let quantization = Quantization { scale: 0.03, zero_point: 117 };
        let run = |kernel: Kernel| {
            let mut out = vec![f32::NAN; m * n];
            kernel.linear(&product.rows, quantization, &layer, &mut out);
            out
        };
        let best = run(Kernel::best());
        for (at, value) in best.iter().enumerate() {
            let (row, column) = (at / n, at % n);
            let exact: f64 = (0..k)
                .map(|k| {
                    let byte = f64::from(product.rows[row * product.k.next_multiple_of(4) + k]);
                    (byte - 117.0) * 0.03 * f64::from(product.weights[k * n + column])
                })
                .sum();
            let exact = exact * f64::from(scales[column]) + f64::from(bias[column]);
            assert!((f64::from(*value) - exact).abs() < 1e-3, "{value} is not {exact}");
        }
        for kernel in Kernel::available() {
            assert_eq!(run(kernel), best, "{:?}", kernel.level());
        }
    }
}

#[test]
fn quantization_error_is_at_most_one_step() {
    let random = &mut CaseRandom(0x7ac1_7002);
    for (shift, size) in [(0.0, 1.0), (5.0, 1.0), (-5.0, 1.0), (0.3, 1000.0), (0.0, 0.0)] {
        let mut values = random.floats(16 * 9, size);
        values.iter_mut().for_each(|value| *value += shift);
        let mut best = vec![0; values.len()];
        let quantization = Kernel::best().quantize(&values, &mut best);
        let Quantization { scale, zero_point } = quantization;
        for (value, byte) in values.iter().zip(&best) {
            let back = (f32::from(*byte) - f32::from(zero_point)) * scale;
            assert!((back - value).abs() <= scale * 1.01, "{value} became {back}");
        }
        for kernel in Kernel::available() {
            let mut bytes = vec![0; values.len()];
            assert_eq!(kernel.quantize(&values, &mut bytes), quantization);
            assert_eq!(bytes, best, "{:?}", kernel.level());
        }
    }
}

/// Computes the error function by its series, which converges well for the relevant values.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..120 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

#[test]
fn gelu_is_accurate_to_four_parts_in_ten_million() {
    let values: Vec<f32> = (-1600..1600).map(|step| step as f32 / 100.0).collect();
    let mut best = values.clone();
    Kernel::best().gelu(&mut best);
    for (x, y) in values.iter().zip(&best) {
        let x = f64::from(*x);
        let exact = 0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2));
        let error = (f64::from(*y) - exact).abs();
        assert!(error < 4e-7 * x.abs().max(1.0), "gelu({x}) is {exact}, not {y}");
    }
    for kernel in Kernel::available() {
        let mut other = values.clone();
        kernel.gelu(&mut other);
        assert_eq!(other, best, "{:?}", kernel.level());
    }
}

#[test]
fn norms_have_mean_zero_and_length_one() {
    let random = &mut CaseRandom(0x7ac1_7003);
    let (values, added) = (random.floats(3 * 384, 4.0), random.floats(3 * 384, 1.0));
    let (gain, bias) = (vec![1.0; 384], vec![0.0; 384]);
    let run = |kernel: Kernel| {
        let mut rows = values.clone();
        kernel.add_norm(&mut rows, &added, &gain, &bias, 1e-12);
        let mut unit = rows[..384].to_vec();
        kernel.unit_norm(&mut unit);
        (rows, unit)
    };
    let (rows, unit) = run(Kernel::best());
    for row in rows.chunks_exact(384) {
        let mean = row.iter().sum::<f32>() / 384.0;
        let variance = row.iter().map(|x| x * x).sum::<f32>() / 384.0;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-4);
    }
    assert!((unit.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    for kernel in Kernel::available() {
        assert_eq!(run(kernel), (rows.clone(), unit.clone()), "{:?}", kernel.level());
    }
    let mut zero = vec![0.0; 16];
    Kernel::best().unit_norm(&mut zero);
    assert_eq!(zero, [0.0; 16]);
}

#[test]
fn attention_matches_its_definition() {
    let random = &mut CaseRandom(0x7ac1_7004);
    let width = 2 * HEAD;
    let scratch = &mut AttentionScratch::default();
    for (tokens, queries) in [(1, 1), (5, 5), (33, 1), (40, 40), (7, 3)] {
        let qkv = random.floats(tokens * 3 * width, 2.0);
        let mut best = vec![0.0; queries * width];
        Kernel::best().attend(&qkv, queries, width, scratch, &mut best);
        for (at, value) in best.iter().enumerate() {
            let (query, head, d) = (at / width, at % width / HEAD, at % HEAD);
            let part = |token: usize, part: usize, d: usize| {
                f64::from(qkv[(token * 3 + part) * width + head * HEAD + d])
            };
            let score = |token: usize| -> f64 {
                let dot: f64 = (0..HEAD).map(|d| part(query, 0, d) * part(token, 1, d)).sum();
                (dot / (HEAD as f64).sqrt()).exp()
            };
            let total: f64 = (0..tokens).map(score).sum();
            let exact: f64 = (0..tokens).map(|t| score(t) / total * part(t, 2, d)).sum();
            assert!((f64::from(*value) - exact).abs() < 1e-5, "{value} is not {exact}");
        }
        for kernel in Kernel::available() {
            let mut out = vec![0.0; queries * width];
            kernel.attend(&qkv, queries, width, scratch, &mut out);
            assert_eq!(out, best, "{:?}", kernel.level());
        }
    }
}

#[test]
fn views_reject_misaligned_and_incomplete_bytes() {
    let numbers = [0x0403_0201_u32, 0x0807_0605];
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let at = bytes.as_ptr().align_offset(4);
    assert_eq!(view::as_u32(&bytes[at..at + 4]).map(<[u32]>::len), Some(1));
    assert_eq!(view::as_u32(&bytes[at + 1..at + 5]), None);
    assert_eq!(view::as_f32(&bytes[at..at + 3]), None);
    assert_eq!(view::as_i8(&[255, 1]), [-1, 1]);
}
