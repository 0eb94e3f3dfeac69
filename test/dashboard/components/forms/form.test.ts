import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#dashboard/api/client.ts';
import { Form, fieldOf } from '#dashboard/components/forms/form.tsx';
import { checkName, NameField, NameForm } from '#dashboard/components/forms/name-form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { all, only, render, renderComponent, textOf, texts } from '#test/dashboard/rendering/markup.ts';

const ignore = async () => {};

function formWith(error: Error | null) {
  const names = ['name', 'email'];
  const children = names.map((name) => createElement(TextField, { key: name, label: `(${name})`, name }));
  return render(createElement(() => Form({ fields: names, error, onSubmit: ignore, children })));
}

/** The names of the fields with an error. */
const invalid = (form: ReturnType<typeof render>) =>
  all(form, 'input[aria-invalid=true]').map(({ attributes }) => attributes.name);

describe('The error of a form', () => {
  it('is shown at the field that it names', () => {
    const form = formWith(new ApiError('This address is taken', 409, 'email'));

    expect(invalid(form)).toEqual(['email']);
    expect(textOf(form)).toBe('(name)(email)This address is taken');
    expect(texts(form, '[role=alert]')).toEqual([]);
  });

  it('is shown at the innermost field that contains what it is about', () => {
    const fields = ['models', 'targets[1]', 'targets[1].weight', 'targets[10].weight'];
    expect(
      ['models[3]', 'targets[1].weight', 'targets[1].weight.x', 'targets[1].x', 'targets[1]'].map((param) =>
        fieldOf(param, fields),
      ),
    ).toEqual(['models', 'targets[1].weight', 'targets[1].weight', 'targets[1]', 'targets[1]']);
    for (const param of [null, 'targets', 'models_x', 'targets[10]'])
      expect(fieldOf(param, fields)).toBeUndefined();
  });

  it.each([
    ['names none', new ApiError('Try again later', 503)],
    ['names one that the form does not have', new ApiError('Try again later', 400, 'role')],
    ['is not the API’s', new Error('Try again later')],
  ])('is shown above the fields if it %s', (_case, error) => {
    const form = formWith(error);

    expect(invalid(form)).toEqual([]);
    expect(texts(form, '[role=alert]')).toEqual(['Try again later']);
    expect(textOf(form)).toBe('Try again later(name)(email)');
  });

  it('is nothing before there is one', () => {
    expect(textOf(formWith(null))).toBe('(name)(email)');
  });
});

describe('A text field', () => {
  it('has a label, a description and the attributes of its control', () => {
    const field = renderComponent(TextField, {
      label: 'Code',
      name: 'code',
      description: 'From the app.',
      inputMode: 'numeric',
      maxLength: 6,
      hiddenLabel: true,
    });
    const { id = '', ...attributes } = only(field, 'input').attributes;

    expect(textOf(field)).toBe('CodeFrom the app.');
    expect(attributes).toMatchObject({
      name: 'code',
      inputmode: 'numeric',
      maxlength: '6',
      spellcheck: 'false',
    });
    expect(only(field, 'label').attributes).toMatchObject({ for: id, class: 'sr-only' });
  });
});

describe('The form of a name', () => {
  const nameForm = (name: string | null, rest: { isPending?: boolean; error?: Error } = {}) =>
    renderComponent(NameForm, {
      name,
      of: 'person',
      error: null,
      isPending: false,
      onSave: ignore,
      ...rest,
    });

  it('begins with the present name, which needs no saving', () => {
    for (const name of ['Acme', null]) {
      const form = nameForm(name);
      expect(only(form, 'input').attributes.value).toBe(name ?? '');
      expect(only(form, 'button').attributes).toMatchObject({ type: 'submit', disabled: '' });
    }
  });

  it('can be saved when the name differs, as one with spaces at its ends does', () => {
    expect(only(nameForm(' Acme'), 'button').attributes.disabled).toBeUndefined();
  });

  it('shows that it is being saved, and why that failed', () => {
    expect(only(nameForm(' Acme', { isPending: true }), 'button').attributes).toMatchObject({
      'aria-busy': 'true',
    });
    expect(invalid(nameForm('Acme', { error: new ApiError('Too long', 400, 'name') }))).toEqual(['name']);
  });

  it('cuts nothing off, but counts long names and refuses those that are too long', () => {
    const field = (value: string) => renderComponent(NameField, { of: 'key', value });

    expect(only(field('n'.repeat(200)), 'input').attributes).toMatchObject({ value: 'n'.repeat(200) });
    expect(only(field(''), 'input').attributes.maxlength).toBeUndefined();
    expect(textOf(field('n'.repeat(79)))).toBe('Name');
    expect(textOf(field('n'.repeat(80)))).toBe('Name80 of 100 characters');
    expect(textOf(field(` ${'👩'.repeat(101)} `))).toBe('Name101 of 100 characters');
  });

  it.each([
    ['', 'Enter a name'],
    ['  ', 'Enter a name'],
    ['n'.repeat(101), 'The name must have 1 to 100 characters'],
    ['a\u202Eb', 'The name has a character that cannot be seen'],
    ['n'.repeat(100), null],
    [` ${'👩‍💻 '.repeat(25)} `, null],
    ['production\n', null],
  ])('of %j has the error %j', (name, error) => {
    expect(checkName(name, 'key')).toBe(error);
  });

  it('has no completion unless the caller says so', () => {
    const field = (autoComplete?: string) =>
      only(renderComponent(NameField, { of: 'key', autoComplete }), 'input').attributes;

    expect(field()).toMatchObject({ name: 'name', autocomplete: 'off' });
    expect(field('organization')).toMatchObject({ autocomplete: 'organization' });
  });
});
