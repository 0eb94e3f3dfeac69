import { describe, expect, it } from 'vitest';
import { bars, maxSum, segmentsAt, stackPaths } from '#dashboard/charts/stacked-bars.tsx';
import { fc } from '#test/support/fast-check.ts';
import { all, only, renderComponent } from '../rendering/markup.ts';
import { geometryOf, seriesOf } from './series.ts';

describe('Stacked bars', () => {
  it('put series on top of each other, with round corners on the last', () => {
    const series = seriesOf([50, 0], [25, null], [0, 100]);
    expect(maxSum(series, 2)).toBe(100);
    expect(stackPaths(series, 2, geometryOf(2, 100))).toEqual([
      'M40,108V58H79V108Z',
      'M40,57V36Q40,33,43,33H76Q79,33,79,36V57Z',
      'M90,108V11Q90,8,93,8H126Q129,8,129,11V108Z',
    ]);
  });

  it('reach up to the highest sum, to which negative and missing values add nothing', () => {
    expect(maxSum(seriesOf([1, 5, -9], [2, null, 3]), 3)).toBe(5);
    expect(maxSum(seriesOf([4, 9]), 1)).toBe(4);
    expect(maxSum([], 3)).toBe(0);
  });

  it('show a tiny value as a pixel', () => {
    const [segment] = segmentsAt(seriesOf([0.0001, 100]), 0, geometryOf(2, 100));
    expect(segment).toEqual({ seriesIndex: 0, x: 40, top: 107, bottom: 108 });
  });

  it('draw no part for a value that is too small beside others, or is none', () => {
    const segments = segmentsAt(seriesOf([50], [0.001], [0], [null], [-5], [50]), 0, geometryOf(1, 100));
    expect(segments.map(({ seriesIndex, top, bottom }) => [seriesIndex, top, bottom])).toEqual([
      [0, 58, 108],
      [5, 8, 58],
    ]);
  });

  it('are without gaps and overlaps, up to the height of the sum', () => {
    const values = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(values, (ofSeries) => {
        const sum = ofSeries.reduce((total, value) => total + value, 0);
        const geometry = geometryOf(1, Math.max(sum, 1));
        const segments = segmentsAt(seriesOf(...ofSeries.map((value) => [value])), 0, geometry);
        const bottoms = [108, ...segments.map(({ top }) => top)];

        expect(segments.map(({ bottom }) => bottom)).toEqual(bottoms.slice(0, -1));
        expect(bottoms.at(-1)).toBe(sum === 0 ? 108 : 8);
        expect(segments.every(({ top, bottom }) => top < bottom)).toBe(true);
      }),
    );
  });

  it.each([
    // Neither the corners nor the pixel between parts fit into narrow or low ones.
    [2, [2, 98], ['M40,108V106H79V108Z', 'M40,105V11Q40,8,43,8H76Q79,8,79,11V105Z']],
    [2, [97, 3], ['M40,108V11H79V108Z', 'M40,11V11Q40,8,43,8H76Q79,8,79,11V11Z']],
    [30, [50, 50], ['M34.25,108V58H37.08V108Z', 'M34.25,58V8H37.08V58Z']],
  ])('of %i periods with %j are drawn to fit', (periodCount, values, paths) => {
    const series = seriesOf(...values.map((value) => [value]));
    expect(stackPaths(series, 1, geometryOf(periodCount, 100))).toEqual(paths);
  });

  it('fill every pixel of the width with a thousand periods', () => {
    const geometry = geometryOf(1000, 1);
    expect(geometry.barWidth).toBe(1);
    expect(geometry.barAt(0)).toBeLessThanOrEqual(34);
    expect(geometry.barAt(999)).toBeGreaterThan(133);
    expect([geometry.indexAt(34), geometry.indexAt(134)]).toEqual([0, 999]);
  });

  it('are called by the part at a height', () => {
    const series = seriesOf([50], [25]);
    const at = (y: number) => bars.seriesAt(series, 0, y, geometryOf(1, 100));

    expect([107.9, 58, 57.9, 33].map(at)).toEqual(['0', '0', '1', '1']);
    expect([108, 32.9, 8].map(at)).toEqual([null, null, null]);
  });
});

describe('The drawing of bars', () => {
  const draw = (props: { incompleteFrom?: number; emphasizedId?: string; periodCount?: number }) => {
    const { periodCount = 2, incompleteFrom = periodCount, emphasizedId = null } = props;
    const geometry = geometryOf(periodCount, 100);
    const series = seriesOf([50, 0], [25, 0]);
    return renderComponent(bars.Draw, { series, periodCount, geometry, incompleteFrom, emphasizedId });
  };

  it('dims the series beside an emphasized one', () => {
    const opacities = (emphasizedId?: string) =>
      all(draw({ emphasizedId }), 'path').map(({ attributes }) => attributes.opacity);
    expect([opacities(), opacities('1')]).toEqual([
      ['1', '1'],
      ['0.25', '1'],
    ]);
  });

  it('is sharp where bars touch each other', () => {
    const rendering = (periodCount: number) =>
      all(draw({ periodCount }), 'path').map(({ attributes }) => attributes['shape-rendering']);
    expect([rendering(33), rendering(34)]).toEqual([
      [undefined, undefined],
      ['crispEdges', 'crispEdges'],
    ]);
  });

  it('hatches the bars of periods that have not ended, as high as they are', () => {
    expect(all(draw({}), 'pattern')).toEqual([]);
    // The second period has no bar.
    const drawing = draw({ incompleteFrom: 0 });
    const pattern = only(drawing, 'pattern').attributes.id;
    const hatched = all(drawing, 'rect').filter(({ attributes }) => attributes.fill === `url(#${pattern})`);

    expect(hatched.map(({ attributes: { x, y, width, height } }) => [x, y, width, height])).toEqual([
      ['40', '33', '39', '75'],
    ]);
    expect(all(draw({ incompleteFrom: 1 }), 'rect')).toHaveLength(1);
  });
});
