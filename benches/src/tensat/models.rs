//! The architectures.

use egret_ir::infer::TypeError;
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::{Graph, ValueId};

use super::net::{Layer, Net, Padding};

type Built = Result<Graph, TypeError>;

/// Eight attention layers of 16 heads over 64 tokens of width 1024 (Devlin et al., NAACL 2019, "large"), as TASO has them:
/// projections and products of attention without softmax, one projection after. TASO's own script leaves what attention
/// gives unread; here the projection reads it.
pub fn bert() -> Built {
    let mut net = Net::new("BERT");
    let mut x = net.input("x", &[64, 1024]);
    for _ in 0..8 {
        let mut parts = Vec::new();
        for _ in 0..3 {
            let p = net.dense_about(x, 1024, 1.0)?;
            let p = net.reshape(p, &[64, 16, 64])?;
            parts.push(net.permute(p, &[1, 0, 2])?);
        }
        let logits = net.einsum(parts[0], parts[1], ["hqd", "hkd"], "hqk")?;
        let y = net.einsum(logits, parts[2], ["hqk", "hkd"], "hqd")?;
        let y = net.permute(y, &[1, 0, 2])?;
        let y = net.reshape(y, &[64, 1024])?;
        // The head sums 64 products into a logit, and 64 logits times values.
        x = net.dense_about(y, 1024, 1.0 / 4096.0)?;
    }
    Ok(net.finish(&[x]))
}

/// ResNeXt-50 32×4d (Xie et al., CVPR 2017, table 1) up to the last block.
pub fn resnext50() -> Built {
    let mut net = Net::new("ResNeXt-50");
    let x = net.input("x", &[1, 3, 224, 224]);
    let t = net.conv(x, 64, [7, 7], 2, Padding::Same, 1)?;
    let t = net.relu(t)?;
    let mut t = net.pool(Monoid::Max, t, [3, 3], 2, Padding::Same)?;
    for (blocks, width, first) in [(3, 128, 1), (4, 256, 2), (6, 512, 2), (3, 1024, 2)] {
        for i in 0..blocks {
            let stride = if i == 0 { first } else { 1 };
            let y = net.conv(t, width, [1, 1], 1, Padding::Same, 1)?;
            let y = net.relu(y)?;
            let y = net.conv(y, width, [3, 3], stride, Padding::Same, 32)?;
            let y = net.relu(y)?;
            let y = net.conv(y, 2 * width, [1, 1], 1, Padding::Same, 1)?;
            let skip = if i == 0 { net.conv(t, 2 * width, [1, 1], stride, Padding::Same, 1)? } else { t };
            let y = net.map(Scalar::Add, &[y, skip])?;
            t = net.relu(y)?;
        }
    }
    Ok(net.finish(&[t]))
}

/// A convolution and a rectifier.
fn conv_relu(net: &mut Net, x: ValueId, channels: usize, kernel: [usize; 2], stride: i64, padding: Padding) -> Layer {
    let y = net.conv(x, channels, kernel, stride, padding, 1)?;
    net.relu(y)
}

/// One convolution after the other: channels, kernel, stride, padding.
fn tower(net: &mut Net, x: ValueId, layers: &[(usize, [usize; 2], i64, Padding)]) -> Layer {
    layers.iter().try_fold(x, |x, (c, k, s, p)| conv_relu(net, x, *c, *k, *s, *p))
}

/// Inception-v3 (Szegedy et al., CVPR 2016, table 1) up to the mean.
pub fn inception_v3() -> Built {
    use Padding::{Both, Valid};
    let one = |c: usize| (c, [1, 1], 1, Valid);
    let three = |c: usize| (c, [3, 3], 1, Both(1, 1));
    let wide = |c: usize| (c, [1, 7], 1, Both(0, 3));
    let tall = |c: usize| (c, [7, 1], 1, Both(3, 0));
    let halve = |c: usize| (c, [3, 3], 2, Valid);
    let mut net = Net::new("Inception-v3");
    let x = net.input("x", &[1, 3, 299, 299]);
    let t = tower(&mut net, x, &[halve(32), (32, [3, 3], 1, Valid), three(64)])?;
    let t = net.pool(Monoid::Max, t, [3, 3], 2, Valid)?;
    let t = tower(&mut net, t, &[one(80), (192, [3, 3], 1, Valid)])?;
    let mut t = net.pool(Monoid::Max, t, [3, 3], 2, Valid)?;
    for pooled in [32, 64, 64] {
        let a = tower(&mut net, t, &[one(64)])?;
        let b = tower(&mut net, t, &[one(48), (64, [5, 5], 1, Both(2, 2))])?;
        let c = tower(&mut net, t, &[one(64), three(96), three(96)])?;
        let d = net.pool(Monoid::Sum, t, [3, 3], 1, Both(1, 1))?;
        let d = tower(&mut net, d, &[one(pooled)])?;
        t = net.concat(1, &[a, b, c, d])?;
    }
    let a = tower(&mut net, t, &[halve(384)])?;
    let b = tower(&mut net, t, &[one(64), three(96), halve(96)])?;
    let c = net.pool(Monoid::Max, t, [3, 3], 2, Valid)?;
    t = net.concat(1, &[a, b, c])?;
    for n in [128, 160, 160, 192] {
        let a = tower(&mut net, t, &[one(192)])?;
        let b = tower(&mut net, t, &[one(n), wide(n), tall(192)])?;
        let c = tower(&mut net, t, &[one(n), tall(n), wide(n), tall(n), wide(192)])?;
        let d = net.pool(Monoid::Sum, t, [3, 3], 1, Both(1, 1))?;
        let d = tower(&mut net, d, &[one(192)])?;
        t = net.concat(1, &[a, b, c, d])?;
    }
    let a = tower(&mut net, t, &[one(192), halve(320)])?;
    let b = tower(&mut net, t, &[one(192), wide(192), tall(192), halve(192)])?;
    let c = net.pool(Monoid::Max, t, [3, 3], 2, Valid)?;
    t = net.concat(1, &[a, b, c])?;
    for _ in 0..2 {
        let split = [(384, [1, 3], 1, Both(0, 1)), (384, [3, 1], 1, Both(1, 0))];
        let mut parts = vec![tower(&mut net, t, &[one(320)])?];
        let b = tower(&mut net, t, &[one(384)])?;
        let c = tower(&mut net, t, &[one(448), three(384)])?;
        for x in [b, c] {
            for layer in split {
                parts.push(tower(&mut net, x, &[layer])?);
            }
        }
        let d = net.pool(Monoid::Sum, t, [3, 3], 1, Both(1, 1))?;
        parts.push(tower(&mut net, d, &[one(192)])?);
        t = net.concat(1, &parts)?;
    }
    let y = net.global_mean(t)?;
    Ok(net.finish(&[y]))
}

/// SqueezeNet 1.0 (Iandola et al., 2016, table 1) up to the mean.
pub fn squeezenet() -> Built {
    let mut net = Net::new("SqueezeNet");
    let x = net.input("x", &[1, 3, 224, 224]);
    let mut t = conv_relu(&mut net, x, 96, [7, 7], 2, Padding::Valid)?;
    t = net.pool(Monoid::Max, t, [3, 3], 2, Padding::Valid)?;
    for (i, squeeze) in [16, 16, 32, 32, 48, 48, 64, 64].into_iter().enumerate() {
        let s = conv_relu(&mut net, t, squeeze, [1, 1], 1, Padding::Valid)?;
        let a = conv_relu(&mut net, s, 4 * squeeze, [1, 1], 1, Padding::Valid)?;
        let b = conv_relu(&mut net, s, 4 * squeeze, [3, 3], 1, Padding::Same)?;
        t = net.concat(1, &[a, b])?;
        if i == 2 || i == 6 {
            t = net.pool(Monoid::Max, t, [3, 3], 2, Padding::Valid)?;
        }
    }
    let t = conv_relu(&mut net, t, 1000, [1, 1], 1, Padding::Valid)?;
    let y = net.global_mean(t)?;
    Ok(net.finish(&[y]))
}

/// VGG-19 (Simonyan and Zisserman, ICLR 2015, table 1, column E).
pub fn vgg19() -> Built {
    let mut net = Net::new("VGG-19");
    let mut t = net.input("x", &[1, 3, 224, 224]);
    for (layers, channels) in [(2, 64), (2, 128), (4, 256), (4, 512), (4, 512)] {
        for _ in 0..layers {
            t = conv_relu(&mut net, t, channels, [3, 3], 1, Padding::Same)?;
        }
        t = net.pool(Monoid::Max, t, [2, 2], 2, Padding::Valid)?;
    }
    let mut t = net.reshape(t, &[1, 512 * 7 * 7])?;
    for width in [4096, 4096] {
        let y = net.dense(t, width)?;
        t = net.relu(y)?;
    }
    let y = net.dense(t, 1000)?;
    Ok(net.finish(&[y]))
}

/// Five steps of the recurrent cell that architecture search found (Zoph and Le, ICLR 2017, figure 8), of width 512.
pub fn nasrnn() -> Built {
    use Scalar::{Add, Mul, Sigmoid, Tanh};
    const WIDTH: usize = 512;
    let mut net = Net::new("NasRNN");
    let inputs: Vec<ValueId> = (0..5).map(|i| net.input(&format!("x{i}"), &[1, WIDTH])).collect();
    let mut h = net.input("state", &[1, WIDTH]);
    for x in inputs {
        let mut t = Vec::new();
        for _ in 0..8 {
            let (a, b) = (net.dense(x, WIDTH)?, net.dense(h, WIDTH)?);
            t.push(net.map(Add, &[a, b])?);
        }
        // Each gate with its activation, in pairs.
        let mut gates = Vec::new();
        for (i, g) in t.into_iter().enumerate() {
            gates.push(match i {
                0 | 7 => net.relu(g)?,
                2 | 5 => net.map(Tanh, &[g])?,
                _ => net.map(Sigmoid, &[g])?,
            });
        }
        let mut pairs = Vec::new();
        for (f, a, b, activation) in [(Add, 0, 3, Tanh), (Add, 1, 2, Sigmoid), (Mul, 4, 5, Tanh), (Mul, 6, 7, Tanh)] {
            let y = net.map(f, &[gates[a], gates[b]])?;
            pairs.push(net.map(activation, &[y])?);
        }
        let left = net.map(Add, &[pairs[1], pairs[2]])?;
        let right = net.map(Mul, &[pairs[0], pairs[3]])?;
        let (left, right) = (net.map(Tanh, &[left])?, net.map(Tanh, &[right])?);
        let y = net.map(Mul, &[left, right])?;
        h = net.map(Tanh, &[y])?;
    }
    Ok(net.finish(&[h]))
}

/// A depthwise convolution and one of 1×1.
fn separable(net: &mut Net, x: ValueId, channels: usize, kernel: usize, stride: i64) -> Layer {
    let groups = net.extent(x, 1);
    let y = net.conv(x, groups, [kernel, kernel], stride, Padding::Same, groups)?;
    net.conv(y, channels, [1, 1], 1, Padding::Same, 1)
}

/// The previous cell's result with the extents and channels of the current one.
fn fitted(net: &mut Net, x: ValueId, like: ValueId) -> Layer {
    let channels = net.extent(like, 1);
    if net.extent(x, 2) == net.extent(like, 2) {
        return conv_relu(net, x, channels, [1, 1], 1, Padding::Same);
    }
    conv_relu(net, x, channels, [3, 3], 2, Padding::Same)
}

fn normal_cell(net: &mut Net, prev: ValueId, cur: ValueId, channels: usize) -> Layer {
    let cur = conv_relu(net, cur, channels, [1, 1], 1, Padding::Same)?;
    let prev = fitted(net, prev, cur)?;
    let mean = |net: &mut Net, x: ValueId| net.pool(Monoid::Sum, x, [3, 3], 1, Padding::Same);
    let sums = [
        [separable(net, cur, channels, 3, 1)?, cur],
        [separable(net, prev, channels, 3, 1)?, separable(net, cur, channels, 3, 1)?],
        [mean(net, cur)?, prev],
        [mean(net, prev)?, mean(net, prev)?],
        [separable(net, prev, channels, 3, 1)?, separable(net, prev, channels, 3, 1)?],
    ];
    let outputs = sums.iter().map(|pair| net.map(Scalar::Add, pair)).collect::<Result<Vec<_>, _>>()?;
    net.concat(1, &outputs)
}

fn reduction_cell(net: &mut Net, prev: ValueId, cur: ValueId, channels: usize) -> Layer {
    let cur = conv_relu(net, cur, channels, [1, 1], 1, Padding::Same)?;
    let prev = fitted(net, prev, cur)?;
    let pool = |net: &mut Net, m: Monoid, x: ValueId, stride: i64| net.pool(m, x, [3, 3], stride, Padding::Same);
    let pair = [separable(net, prev, channels, 7, 2)?, separable(net, cur, channels, 5, 2)?];
    let first = net.map(Scalar::Add, &pair)?;
    let pair = [pool(net, Monoid::Max, cur, 2)?, separable(net, prev, channels, 7, 2)?];
    let second = net.map(Scalar::Add, &pair)?;
    let pair = [pool(net, Monoid::Sum, cur, 2)?, separable(net, prev, channels, 5, 2)?];
    let third = net.map(Scalar::Add, &pair)?;
    let pair = [pool(net, Monoid::Max, cur, 2)?, separable(net, first, channels, 3, 1)?];
    let fourth = net.map(Scalar::Add, &pair)?;
    let pair = [pool(net, Monoid::Sum, first, 1)?, second];
    let fifth = net.map(Scalar::Add, &pair)?;
    net.concat(1, &[first, second, third, fourth, fifth])
}

/// NasNet-A's cells (Zoph et al., CVPR 2018, figure 4), five normal ones before each of three reductions, from 128
/// channels of 56×56 on.
pub fn nasnet_a() -> Built {
    let mut net = Net::new("NasNet-A");
    let mut x = net.input("x", &[1, 128, 56, 56]);
    for stage in 0..3 {
        let channels = 128 << stage;
        let (mut prev, mut cur) = (x, x);
        for _ in 0..5 {
            (prev, cur) = (cur, normal_cell(&mut net, prev, cur, channels)?);
        }
        x = reduction_cell(&mut net, prev, cur, channels)?;
    }
    Ok(net.finish(&[x]))
}
