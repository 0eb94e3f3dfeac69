import { describe, expect, it } from 'vitest';
import { Axes } from '#dashboard/charts/frame/axes.tsx';
import { createGeometry } from '#dashboard/charts/frame/geometry.ts';
import { all, renderComponent, texts } from '#test/dashboard/rendering/markup.ts';
import { fc } from '#test/support/fast-check.ts';
import { geometryOf } from '../series.ts';

describe('The plot', () => {
  it('leaves space for the labels', () => {
    expect(geometryOf(2, 100)).toMatchObject({
      width: 138,
      height: 148,
      left: 34,
      right: 134,
      top: 8,
      bottom: 108,
    });
  });

  it.each([
    [[], 34],
    [['$0'], 34],
    [['$0', '$12.50'], 49],
    [['1 min 30 s', '0'], 74],
  ])('begins to the right of %j at %i', (valueLabels, left) => {
    expect(createGeometry({ width: 300, height: 148, periodCount: 1, max: 1, valueLabels }).left).toBe(left);
  });

  it('has zero at its bottom and the maximum at its top', () => {
    const { yOf } = geometryOf(2, 50);
    expect([0, 25, 50, 100].map(yOf)).toEqual([108, 58, 8, -92]);
  });

  it('stays finite without space or periods', () => {
    const narrow = createGeometry({ width: 20, height: 148, periodCount: 3, max: 1, valueLabels: [] });
    expect(narrow.step).toBe(0);
    expect(Number.isFinite(narrow.barAt(2))).toBe(true);
    expect(geometryOf(0, 1)).toMatchObject({ step: 100 });
  });
});

describe('A bar', () => {
  it.each([
    // Wide bars have a maximum, in the middle of their period.
    [1, 100, 48, 60, 84],
    [2, 50, 39, 40, 59],
    [10, 10, 8, 35, 39],
    // From six pixels on, bars are aligned with pixels.
    [16, 6.25, 5, 35, 37.125],
    [17, 100 / 17, 5, 34.4412, 36.9412],
    [20, 5, 4.25, 34.375, 36.5],
    // Below three, they touch each other.
    [34, 100 / 34, 2.9412, 34, 35.4706],
    [200, 0.5, 1, 33.75, 34.25],
  ])('of %i periods, %d pixels apart, is %d wide, and the first at %d around %d', (...expected) => {
    const { step, barWidth, barAt, centreOf } = geometryOf(expected[0], 1);
    const rounded = [step, barWidth, barAt(0), centreOf(0)].map((length) => Math.round(length * 1e4) / 1e4);
    expect(rounded).toEqual(expected.slice(1).map((length) => Math.round(length * 1e4) / 1e4));
  });

  it('is that at its centre, and the outer ones are those beyond the plot', () => {
    const space = {
      width: fc.integer({ min: 100, max: 2000 }),
      periodCount: fc.integer({ min: 1, max: 800 }),
    };
    fc.assert(
      fc.property(fc.record(space), fc.nat(799), ({ width, periodCount }, position) => {
        const { indexAt, centreOf, left, right, barAt, barWidth } = createGeometry({
          width,
          height: 100,
          periodCount,
          max: 1,
          valueLabels: [],
        });
        const index = position % periodCount;
        expect(indexAt(centreOf(index))).toBe(index);
        expect([indexAt(-50), indexAt(right + 50)]).toEqual([0, periodCount - 1]);
        // Within a pixel, because of the alignment.
        expect(barAt(0)).toBeGreaterThanOrEqual(left - 1);
        expect(barAt(periodCount - 1) + barWidth).toBeLessThanOrEqual(right + 1);
      }),
    );
  });
});

describe('The axes', () => {
  const ticks = [
    { index: 0, text: '22' },
    { index: 1, text: '23' },
  ];
  const axes = renderComponent(Axes, {
    geometry: geometryOf(2, 100),
    values: [
      { value: 0, label: '$0' },
      { value: 100, label: '$100' },
    ],
    time: { ticks, groups: [{ index: 1, text: 'November 2026' }] },
  });
  const attributes = (tag: string, ...names: string[]) =>
    all(axes, tag).map((each) => names.map((name) => each.attributes[name]));

  it('have a sharp line for each value, from side to side', () => {
    expect(attributes('line', 'x1', 'x2', 'y1', 'y2', 'class')).toEqual([
      ['34', '134', '107.5', '107.5', 'stroke-control'],
      ['34', '134', '7.5', '7.5', 'stroke-line'],
    ]);
  });

  it('have labels beside the lines, below the periods, and of larger units below those', () => {
    expect(texts(axes, 'text')).toEqual(['$0', '$100', '22', '23', 'November 2026']);
    expect(attributes('text', 'x', 'y')).toEqual([
      ['26', '107.5'],
      ['26', '7.5'],
      ['59', '124'],
      ['109', '124'],
      // Moved to the left to stay inside.
      [String(138 - (13 * 6.4) / 2), '140'],
    ]);
  });

  it('keep the first label inside', () => {
    const first = renderComponent(Axes, {
      geometry: geometryOf(50, 1),
      values: [],
      time: { ticks: [{ index: 0, text: 'September 2026' }], groups: [] },
    });
    expect(all(first, 'text')[0]?.attributes.x).toBe(String((14 * 6.4) / 2));
  });
});
