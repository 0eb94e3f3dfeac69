import type { KeyboardEvent, PointerEvent } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { ChartPeriod, ChartSelection } from '#dashboard/charts/chart.ts';
import { announcement, useInteraction } from '#dashboard/charts/frame/use-interaction.ts';
import { runHook } from '#test/dashboard/rendering/hook.ts';
import { geometryOf, periodsFrom, seriesOf } from '../series.ts';

type Interaction = ReturnType<typeof useInteraction>;
type Step = (interaction: Interaction) => void;

/** Four hours, 25 pixels each: 34 to 59, 59 to 84, 84 to 109, 109 to 134. */
const periods = periodsFrom('2026-11-23T00:00:00Z', 4, 3_600_000);
const hour = (number: number) => `2026-11-23T0${number}:00:00.000Z`;

interface Choices {
  selected: ChartSelection[];
  brushed: ChartPeriod[];
}

/** Plays the steps on a chart with the series `a` above `b`; in its upper half is `a`. */
function play(steps: Step[], { selects = true, brushes = true } = {}): { state: Interaction } & Choices {
  const [selected, brushed]: [ChartSelection[], ChartPeriod[]] = [[], []];
  const states = runHook(
    () =>
      useInteraction({
        periods,
        geometry: geometryOf(4, 100),
        seriesIds: ['a', 'b'],
        seriesAt: (_, y) => (y < 50 ? 'a' : 'b'),
        onSelect: selects ? (selection) => selected.push(selection) : undefined,
        onBrush: brushes ? (window) => brushed.push(window) : undefined,
      }),
    steps,
  );
  const state = states.at(-1);
  if (state === undefined) throw new Error('The hook was not rendered');
  return { state, selected, brushed };
}

/** The chart stands at 100, 200 of the page. */
const chart = { getBoundingClientRect: () => ({ left: 100, top: 200 }), setPointerCapture: () => {} };

function pointer(x: number, y: number, fields: object) {
  const event = { button: 0, isPrimary: true, pointerType: 'mouse', pointerId: 1, ...fields };
  return {
    ...event,
    clientX: 100 + x,
    clientY: 200 + y,
    currentTarget: chart,
  } as unknown as PointerEvent<HTMLElement>;
}

const move =
  (x: number, y = 20, fields: object = {}): Step =>
  ({ handlers }) =>
    handlers.onPointerMove(pointer(x, y, { buttons: 0, ...fields }));
const drag = (x: number, y = 20): Step => move(x, y, { buttons: 1 });
const press =
  (x: number, y = 20, fields: object = {}): Step =>
  ({ handlers }) =>
    handlers.onPointerDown(pointer(x, y, fields));
const release =
  (x: number, y = 20, fields: object = {}): Step =>
  ({ handlers }) =>
    handlers.onPointerUp(pointer(x, y, fields));
const touch = { pointerType: 'touch' };

/** Such as `Shift+ArrowLeft`. */
const key =
  (text: string): Step =>
  ({ handlers }) => {
    const modifiers = text.split('+');
    const pressed = modifiers.pop() ?? '';
    handlers.onKeyDown({
      key: pressed,
      shiftKey: modifiers.includes('Shift'),
      altKey: modifiers.includes('Alt'),
      ctrlKey: modifiers.includes('Control'),
      metaKey: modifiers.includes('Meta'),
      preventDefault: () => {},
      stopPropagation: () => {},
    } as KeyboardEvent<HTMLElement>);
  };
const keys = (text: string) => text.split(' ').map(key);

describe('Pointing', () => {
  it('shows the period and the series there, until the pointer leaves', () => {
    expect(play([move(70, 20)]).state.current).toEqual({ index: 1, seriesId: 'a', byKeyboard: false });
    expect(play([move(70, 20), move(120, 80)]).state.current).toEqual({
      index: 3,
      seriesId: 'b',
      byKeyboard: false,
    });
    const leave: Step = ({ handlers }) => handlers.onPointerLeave(pointer(0, 0, {}));
    expect(play([move(70), leave]).state.current).toBeNull();
  });

  it.each([
    [33.9, null],
    [34, 0],
    [134, 3],
    [134.1, null],
  ])('at %d shows the period %s: the labels beside the plot have none', (x, index) => {
    expect(play([move(70), move(x)]).state.current?.index ?? null).toBe(index);
  });
});

describe('A click', () => {
  it('chooses the series of the period, where the button was pressed', () => {
    const { selected, brushed } = play([move(70, 20), press(70, 20), release(72, 22)]);
    expect(selected).toEqual([{ period: periods[1], seriesId: 'a' }]);
    expect(brushed).toEqual([]);
  });

  it.each([
    ['moves by five pixels to the side', [press(70, 20), release(75, 20)]],
    ['moves by five pixels down', [press(70, 20), release(70, 25)]],
    ['is one of another button', [press(70, 20, { button: 2 }), release(70, 20)]],
    ['is one of a second finger', [press(70, 20, { isPrimary: false }), release(70, 20)]],
    ['was not pressed here', [release(70, 20)]],
    ['was released elsewhere', [press(70, 20), move(70, 20), release(70, 20)]],
  ])('chooses nothing if it %s', (_case, steps) => {
    expect(play(steps, { brushes: false }).selected).toEqual([]);
  });

  it('of a finger shows the period first, and chooses it the second time', () => {
    const tap = (x: number): Step[] => [press(x, 20, touch), release(x, 20, touch)];
    const leave: Step = ({ handlers }) => handlers.onPointerLeave(pointer(0, 0, touch));

    expect(play(tap(70)).selected).toEqual([]);
    expect(play([...tap(70), leave]).state.current?.index).toBe(1);
    expect(play([...tap(70), leave, ...tap(70)]).selected).toEqual([{ period: periods[1], seriesId: 'a' }]);
    expect(play([...tap(70), ...tap(120)]).selected).toEqual([]);
  });
});

describe('Dragging', () => {
  it.each([
    ['to the right', 70, 120],
    ['to the left', 120, 70],
  ])('%s selects the time from the first period to the last', (_case, from, to) => {
    const { brushed, selected, state } = play([press(from), drag(to), release(to)]);
    expect(brushed).toEqual([{ start: hour(1), end: hour(4) }]);
    expect(selected).toEqual([]);
    expect([state.current, state.brush]).toEqual([null, null]);
  });

  it('begins with five pixels, and may then return to where it began', () => {
    expect(play([press(70), drag(74.9)]).state.brush).toBeNull();
    expect(play([press(70), drag(75)]).state.brush).toEqual({ from: 1, to: 1 });
    expect(play([press(70), drag(120), drag(71)]).state.brush).toEqual({ from: 1, to: 1 });
  });

  it('goes on beside the plot, up to its last period', () => {
    expect(play([press(70), drag(500)]).state.brush).toEqual({ from: 1, to: 3 });
    expect(play([press(70), drag(0)]).state.brush).toEqual({ from: 1, to: 0 });
  });

  it('only points where no time can be selected', () => {
    const { state } = play([press(70), drag(120)], { brushes: false });
    expect([state.brush, state.current?.index]).toEqual([null, 3]);
  });

  it('ends without a selection when the page scrolls instead', () => {
    const cancel: Step = ({ handlers }) => handlers.onPointerCancel();
    const { brushed, state } = play([press(70), drag(120), cancel, release(120)]);
    expect([brushed, state.brush, state.current]).toEqual([[], null, null]);
  });

  it('goes on when the mouse leaves the chart', () => {
    const leave: Step = ({ handlers }) => handlers.onPointerLeave(pointer(0, 0, {}));
    expect(play([press(70), drag(120), leave]).state.brush).toEqual({ from: 1, to: 3 });
  });
});

describe('Keys', () => {
  it.each([
    ['ArrowRight', 0],
    ['ArrowLeft', 3],
    ['Home', 0],
    ['End', 3],
    ['ArrowRight ArrowRight', 1],
    ['ArrowLeft ArrowLeft', 2],
    ['Home ArrowLeft', 0],
    ['End ArrowRight', 3],
    ['Home ArrowRight End', 3],
  ])('%s lead to the period %i', (text, index) => {
    expect(play(keys(text)).state.current).toEqual({ index, seriesId: null, byKeyboard: true });
  });

  it.each([
    ['Home ArrowDown', 'a'],
    ['Home ArrowDown ArrowDown', 'b'],
    ['Home ArrowDown ArrowDown ArrowDown', null],
    ['Home ArrowUp', 'b'],
    ['Home ArrowUp ArrowUp ArrowUp', null],
    ['Home ArrowDown ArrowRight', 'a'],
  ])('%s lead to the series %s, from the top down', (text, seriesId) => {
    expect(play(keys(text)).state.current?.seriesId).toBe(seriesId);
  });

  it('of series lead nowhere without a period, or where nothing can be chosen', () => {
    expect(play(keys('ArrowDown')).state.current).toBeNull();
    expect(play(keys('Home ArrowDown'), { selects: false }).state.current?.seriesId).toBeNull();
  });

  it.each(['Enter', ' '])('"%s" chooses what is reached', (pressed) => {
    const steps = [...keys('Home ArrowRight ArrowUp'), key(pressed)];
    expect(play(steps).selected).toEqual([{ period: periods[1], seriesId: 'b' }]);
    expect(play([key(pressed)]).selected).toEqual([]);
  });

  it('with Shift select the time, which Enter applies', () => {
    const { brushed, selected, state } = play(
      keys('Home ArrowRight Shift+ArrowRight Shift+ArrowRight Enter'),
    );
    expect(brushed).toEqual([{ start: hour(1), end: hour(4) }]);
    expect(selected).toEqual([]);
    expect([state.current, state.brush]).toEqual([null, null]);
  });

  it.each([
    ['Shift+End', { from: 3, to: 3 }],
    ['Home ArrowDown Shift+ArrowRight', { from: 0, to: 1 }],
    ['End Shift+ArrowLeft Shift+Home', { from: 3, to: 0 }],
    ['Home Shift+ArrowRight ArrowRight', null],
  ])('%s select %j', (text, brush) => {
    expect(play(keys(text)).state.brush).toEqual(brush);
  });

  it('that select time leave the series', () => {
    expect(play(keys('Home ArrowDown Shift+ArrowRight')).state.current?.seriesId).toBeNull();
    expect(play(keys('Home Shift+ArrowRight'), { brushes: false }).state).toMatchObject({
      brush: null,
      current: { index: 1 },
    });
  });

  it.each(['Alt', 'Control', 'Meta'])('of the browser, with %s, are left alone', (modifier) => {
    expect(play(keys(`Home ${modifier}+ArrowRight`)).state.current?.index).toBe(0);
  });

  it('Escape and leaving the chart end it', () => {
    expect(play(keys('Home Shift+ArrowRight Escape')).state).toMatchObject({ current: null, brush: null });
    const blur: Step = ({ handlers }) => handlers.onBlur();
    expect(play([key('Home'), blur]).state.current).toBeNull();
  });

  it('that do something here do nothing else in the page', () => {
    const prevented = (pressed: string, ...before: Step[]) => {
      const event = { key: pressed, preventDefault: vi.fn(), stopPropagation: vi.fn() };
      play([...before, ({ handlers }) => handlers.onKeyDown(event as unknown as KeyboardEvent<HTMLElement>)]);
      return [event.preventDefault, event.stopPropagation].map(({ mock }) => mock.calls.length);
    };

    expect(['ArrowRight', 'Enter'].map((each) => prevented(each))).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(['Tab', 'Escape', 'ArrowDown'].map((each) => prevented(each))).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(prevented('Escape', key('Home'))).toEqual([1, 1]);
  });
});

describe('A later report', () => {
  it('with fewer periods no longer shows one that it does not have', () => {
    let count = 4;
    const [, , state] = runHook(
      () =>
        useInteraction({
          periods: periods.slice(0, count),
          geometry: geometryOf(count, 100),
          seriesIds: [],
          seriesAt: () => null,
        }),
      [
        key('End'),
        () => {
          count = 3;
        },
      ],
    );
    expect(state?.current).toBeNull();
  });
});

describe('The announcement', () => {
  const rows = seriesOf([5, 0], [null, 7], [2, 1]);
  const all = { title: 'Mon 23', rows, total: { name: 'Total', text: '7' }, brush: null };
  const at = (index: number, seriesId: string | null) => ({ index, seriesId, byKeyboard: true });

  it.each([
    [{ ...all, current: at(0, null) }, 'Mon 23. Total: 7, Series 0: 5, Series 2: 2'],
    [{ ...all, current: at(1, null), total: null }, 'Mon 23. Series 1: 7, Series 2: 1'],
    [{ ...all, current: at(0, '2') }, 'Series 2: 2. Mon 23.'],
    [{ ...all, current: at(0, '9'), total: null }, 'Mon 23. Series 0: 5, Series 2: 2'],
    [{ ...all, current: at(0, '2'), brush: { from: 0, to: 1 } }, 'Selected: Mon 23. Press Enter to apply.'],
  ])('has what is reached, without series that are zero', (announced, text) => {
    expect(announcement(announced)).toBe(text);
  });
});
