import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { fieldSchemas } from './json-schemas.ts';

interface Circle {
  kind: 'circle';
  radius: number;
}

interface Square {
  kind: 'square';
  side: number;
  label?: string;
}

interface Tree {
  branches: readonly Tree[];
}

interface Example {
  shape: Circle | Square | null;
  shapes: (Circle & { id: string })[];
  tree: Tree;
  byName: { readonly [name: string]: boolean };
  part: Pick<Square, 'side'>;
}

interface WithUnknown {
  value: unknown;
}

interface WithTuple {
  pair: [string, number];
}

const file = 'test/support/source/json-schemas.test.ts';
const { fields, $defs } = fieldSchemas([{ file, name: 'Example' }]);
const ajv = new Ajv2020({ strict: true });

function accepts(field: keyof Example, value: unknown): boolean {
  return ajv.validate({ ...fields.get(field), $defs }, value);
}

describe('fieldSchemas', () => {
  it.each<[keyof Example, unknown]>([
    ['shape', null],
    ['shape', { kind: 'circle', radius: 1 }],
    ['shape', { kind: 'square', side: 1 }],
    ['shape', { kind: 'square', side: 1, label: 'a' }],
    ['shapes', []],
    ['shapes', [{ kind: 'circle', radius: 1, id: 'a' }]],
    ['tree', { branches: [{ branches: [] }] }],
    ['byName', { any: true, other: false }],
    ['part', { side: 1 }],
  ])('accepts a %s that has its type: %j', (field, value) => {
    expect(accepts(field, value)).toBe(true);
  });

  it.each<[keyof Example, unknown]>([
    ['shape', { kind: 'circle', radius: 1, side: 1 }],
    ['shape', { kind: 'circle', side: 1 }],
    ['shape', { kind: 'square', side: '1' }],
    ['shape', { kind: 'square', side: 1, label: null }],
    ['shape', undefined],
    ['shapes', [{ kind: 'circle', radius: 1 }]],
    ['shapes', [{ kind: 'circle', radius: 1, id: 'a', name: 'b' }]],
    ['tree', { branches: [{ branches: [], leaves: [] }] }],
    ['tree', { branches: [{}] }],
    ['byName', { any: 'yes' }],
    ['part', { kind: 'square', side: 1 }],
  ])('refuses a %s that has another type: %j', (field, value) => {
    expect(accepts(field, value)).toBe(false);
  });

  it.each<[string, keyof (WithUnknown & WithTuple), string]>([
    ['WithUnknown', 'value', 'No schema for the type unknown'],
    ['WithTuple', 'pair', 'No schema for the type [string, number]'],
  ])('refuses the type %s, whose field %s would accept too much', (name, _field, message) => {
    expect(() => fieldSchemas([{ file, name }])).toThrow(message);
  });

  it('names an interface that does not exist', () => {
    expect(() => fieldSchemas([{ file, name: 'Nothing' }])).toThrow('There is no interface Nothing');
  });
});
