import { describe, expect, it } from 'vitest';
import { ChoiceChips } from '#dashboard/components/forms/chips.tsx';
import { type Limit, LimitFields } from '#dashboard/components/forms/limit-fields.tsx';
import { Picker } from '#dashboard/components/forms/picker.tsx';
import { RadioCards } from '#dashboard/components/forms/radio-cards.tsx';
import { SwitchField } from '#dashboard/components/forms/switch-field.tsx';
import {
  all,
  names,
  only,
  type RenderedElement,
  renderComponent,
  textOf,
  texts,
} from '#test/dashboard/rendering/markup.ts';

const ignore = () => {};

/** The radio buttons, by their text. */
const checked = (field: RenderedElement) =>
  all(field, '[role=radio]').map((radio) => [textOf(radio), radio.attributes['aria-checked']]);

describe('The fields of a limit', () => {
  const limitFields = (value: Limit, fixedPeriod?: boolean) =>
    renderComponent(LimitFields, { value, onValueChange: ignore, fixedPeriod });

  it('have the API’s name for the amount', () => {
    const fields = limitFields({ amount: '25.50', period: 'month', hard: true });

    expect(all(fields, 'input')[0]?.attributes).toMatchObject({
      name: 'amount_usd',
      value: '25.50',
      inputmode: 'decimal',
    });
    expect(texts(fields, 'label')).toEqual(['Amount', 'Hard limit']);
  });

  it('have a choice of the period', () => {
    const choice = (period: Limit['period']) => checked(limitFields({ amount: '', period, hard: true }));

    expect(choice('day')).toEqual([
      ['Per day', 'true'],
      ['Per month', 'false'],
    ]);
    expect(choice('month')).toEqual([
      ['Per day', 'false'],
      ['Per month', 'true'],
    ]);
  });

  it('name the period of an existing budget, which cannot be changed', () => {
    const fields = limitFields({ amount: '1', period: 'day', hard: true }, true);

    expect(checked(fields)).toEqual([]);
    expect(texts(fields, 'label')).toEqual(['Amount per day', 'Hard limit']);
  });

  it('say what a hard limit means, and what its absence does', () => {
    const stop = (hard: boolean) => {
      const fields = limitFields({ amount: '', period: 'day', hard }, true);
      return [only(fields, '[role=switch]').attributes['aria-checked'], texts(fields, 'p')];
    };

    expect(stop(true)).toEqual([
      'true',
      ['Requests that might exceed the budget are refused before they reach a provider.'],
    ]);
    expect(stop(false)).toEqual(['false', ['Off: spend is counted and shown, and no request is refused.']]);
  });
});

describe('A choice', () => {
  const options = [
    { value: 'chart', label: 'Chart', description: 'Drawn' },
    { value: 'table', label: 'Table' },
  ];

  it('between chips has the name of the group, and one that is checked', () => {
    const props = { label: 'View', options, value: 'table', onValueChange: ignore, columns: 'grid-cols-2' };
    const chips = renderComponent(ChoiceChips, props);
    const group = only(chips, '[role=radiogroup]').attributes['aria-labelledby'];

    expect(texts(chips, `[id=${group}]`)).toEqual(['View']);
    expect(checked(chips)).toEqual([
      ['Chart', 'false'],
      ['Table', 'true'],
    ]);
  });

  it('between cards explains the options that need it', () => {
    const props = { label: 'View', options, value: 'chart', onValueChange: ignore };
    const cards = renderComponent(RadioCards, props);

    expect(texts(cards, 'label')).toEqual(['ChartDrawn', 'Table']);
    expect(checked(cards).map(([, isChecked]) => isChecked)).toEqual(['true', 'false']);
  });

  it.each([
    [true, 'table', 'ViewTable'],
    [false, 'chart', 'ViewChart'],
    // An option that a link has made up.
    [true, 'Grid', 'ViewGrid'],
  ])('in a toolbar, with its label shown: %s, of "%s" is "%s"', (showsLabel, value, text) => {
    const props = { label: 'View', options, value, onValueChange: ignore, showsLabel };
    const picker = renderComponent(Picker, props);

    expect(names(picker, 'button')).toEqual([text]);
    expect(all(picker, 'span').some(({ attributes }) => attributes.class === 'sr-only')).toBe(!showsLabel);
    expect(names(picker, '[aria-haspopup=menu]')).toEqual([text]);
  });
});

describe('A switch', () => {
  const switchOf = (description?: string) =>
    renderComponent(SwitchField, { label: 'Budget', description, checked: false, onCheckedChange: ignore });

  it('is named by its label, and described if there is a description', () => {
    const described = only(switchOf('Limits the key.'), '[role=switch]').attributes;
    const plain = only(switchOf(), '[role=switch]').attributes;

    expect(texts(switchOf('Limits the key.'), `[id=${described['aria-labelledby']}]`)).toEqual(['Budget']);
    expect(texts(switchOf('Limits the key.'), `[id=${described['aria-describedby']}]`)).toEqual([
      'Limits the key.',
    ]);
    expect([plain['aria-checked'], plain['aria-describedby']]).toEqual(['false', undefined]);
  });
});
