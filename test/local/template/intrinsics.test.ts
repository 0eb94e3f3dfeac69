import { describe, expect, it } from 'vitest';
import { type References, resolveIntrinsics } from '#local/template/intrinsics.ts';

const refs: Record<string, string> = { Table: 'table-1', 'AWS::Region': 'eu-west-1' };
const attributes: Record<string, string> = { 'Table.Arn': 'arn:table-1' };
const references: References = {
  ref: (name) => refs[name],
  attribute: (logicalId, attribute) => attributes[`${logicalId}.${attribute}`],
};

const resolve = (value: unknown) => resolveIntrinsics(value, references);

describe('resolveIntrinsics', () => {
  it.each([
    ['Ref', { Ref: 'Table' }, 'table-1'],
    ['a pseudo parameter', { Ref: 'AWS::Region' }, 'eu-west-1'],
    ['Fn::GetAtt', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:table-1'],
    ['Fn::GetAtt as a string', { 'Fn::GetAtt': 'Table.Arn' }, 'arn:table-1'],
    ['Fn::Join', { 'Fn::Join': ['/', ['a', { Ref: 'Table' }]] }, 'a/table-1'],
    ['Fn::Select', { 'Fn::Select': [1, ['a', { Ref: 'Table' }]] }, 'table-1'],
    ['Fn::Split', { 'Fn::Split': ['-', { Ref: 'Table' }] }, ['table', '1']],
    ['Fn::Sub', { 'Fn::Sub': `\${Table}/\${Table.Arn}/\${!Table}` }, `table-1/arn:table-1/\${Table}`],
    [
      'Fn::Sub with variables',
      { 'Fn::Sub': [`\${Local}-\${Table}`, { Local: { Ref: 'AWS::Region' } }] },
      'eu-west-1-table-1',
    ],
  ])('resolves %s', (_, value, resolved) => {
    expect(resolve(value)).toEqual(resolved);
  });

  it('resolves intrinsic functions at any depth and keeps other values', () => {
    expect(resolve({ list: [1, { Ref: 'Table' }], nested: { Ref: 'Table', other: true } })).toEqual({
      list: [1, 'table-1'],
      nested: { Ref: 'Table', other: true },
    });
  });

  it('removes values that are AWS::NoValue', () => {
    expect(resolve({ kept: 1, removed: { Ref: 'AWS::NoValue' }, list: [{ Ref: 'AWS::NoValue' }] })).toEqual({
      kept: 1,
      list: [],
    });
  });

  it.each([
    [{ Ref: 'Missing' }, 'Ref Missing cannot be resolved'],
    [{ 'Fn::GetAtt': ['Table', 'Missing'] }, 'Fn::GetAtt Table.Missing cannot be resolved'],
    [{ 'Fn::If': ['a', 1, 2] }, 'The local run does not support Fn::If'],
  ])('rejects %j', (value, message) => {
    expect(() => resolve(value)).toThrow(message);
  });
});
