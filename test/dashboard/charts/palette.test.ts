import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paletteSize } from '#dashboard/charts/chart.ts';

const styles = readFileSync(resolve(import.meta.dirname, '../../../dashboard/styles.css'), 'utf8');

type Theme = 'light' | 'dark';
type Vector = [number, number, number];

/** The linear red, green and blue of a colour in `styles.css`. */
function linearRgb(name: string, theme: Theme): Vector {
  const [, light = '', dark = ''] =
    new RegExp(`--color-${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(styles) ?? [];
  const digits = (theme === 'light' ? light : dark).slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3');
  expect(digits).toMatch(/^[\da-f]{6}$/);
  const channel = (start: number) => {
    const value = Number.parseInt(digits.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(2), channel(4)];
}

function multiply([x, y, z]: Vector, matrix: [Vector, Vector, Vector]): Vector {
  const row = ([a, b, c]: Vector) => a * x + b * y + c * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

/** WCAG 2.2. */
function contrast(one: Vector, other: Vector): number {
  const [a, b] = [one, other].map(
    ([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05,
  );
  return Math.max(a ?? 0, b ?? 0) / Math.min(a ?? 0, b ?? 0);
}

/** Björn Ottosson, "A perceptual color space for image processing", 2020. */
function oklab(rgb: Vector): Vector {
  const [l, m, s] = multiply(rgb, [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ]);
  return multiply(
    [Math.cbrt(l), Math.cbrt(m), Math.cbrt(s)],
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
  );
}

/** Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009. */
const deficiencies: Record<string, [Vector, Vector, Vector]> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const names = Array.from({ length: paletteSize }, (_, index) => `chart-${index + 1}`);

describe.each<Theme>(['light', 'dark'])('The palette of charts in the %s theme', (theme) => {
  it('has a contrast of at least 3 to the surface', () => {
    const surface = linearRgb('surface', theme);
    const contrasts = [...names, 'chart-other'].map((name) => contrast(linearRgb(name, theme), surface));

    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.entries(deficiencies))(
    'has ten colours that differ clearly with colour blindness: %s',
    (_, matrix) => {
      const seen = names.map((name) => {
        const [red, green, blue] = multiply(linearRgb(name, theme), matrix);
        return oklab([red, green, blue].map((value) => Math.min(1, Math.max(0, value))) as Vector);
      });
      const distances = distancesBetween(seen);

      expect(distances).toHaveLength(45);
      expect(Math.min(...distances)).toBeGreaterThan(0.08);
    },
  );

  it('has no two colours that look alike side by side, the grey of the rest included', () => {
    const seen = [...names, 'chart-other'].map((name) => oklab(linearRgb(name, theme)));

    expect(Math.min(...distancesBetween(seen.slice(0, -1)))).toBeGreaterThan(0.115);
    expect(Math.min(...distancesBetween(seen))).toBeGreaterThan(0.1);
  });
});

describe('A colour of the palette', () => {
  it('has the same hue in the light and in the dark theme, and a hue of its own', () => {
    const hues = names.map((name) => [hueOf(name, 'light'), hueOf(name, 'dark')] as const);
    const angles = hues.map(([light]) => light).sort((one, other) => one - other);
    const gaps = angles.map((angle, index) => angle - (angles[index - 1] ?? (angles.at(-1) ?? 0) - 360));

    expect(Math.max(...hues.map(([light, dark]) => angleBetween(light, dark)))).toBeLessThan(10);
    expect(Math.min(...gaps)).toBeGreaterThan(15);
  });
});

/** The distances of all pairs. */
function distancesBetween(colours: readonly Vector[]): number[] {
  return colours.flatMap((one, index) =>
    colours
      .slice(0, index)
      .map((other) => Math.hypot(...one.map((value, axis) => value - (other[axis] ?? 0)))),
  );
}

/** In degrees, from 0. */
function hueOf(name: string, theme: Theme): number {
  const [, greenRed, blueYellow] = oklab(linearRgb(name, theme));
  return ((Math.atan2(blueYellow, greenRed) * 180) / Math.PI + 360) % 360;
}

function angleBetween(one: number, other: number): number {
  const difference = Math.abs(one - other) % 360;
  return Math.min(difference, 360 - difference);
}
