import { expect, it } from 'vitest';
import { createAuthorizer } from '#local/permissions/authorization.ts';
import type { Statement } from '#local/permissions/policies.ts';

const items = 'arn:aws:dynamodb:us-east-1:000000000000:table/Items';
const get = { action: 'dynamodb:GetItem', resource: items };

function authorizer(...statements: Statement[]) {
  const caller = { functionName: 'Reader', roleName: 'ReaderRole', statements };
  return createAuthorizer(new Map([['reader', caller]]));
}

it('lists each allowed action and resource that no function has used', () => {
  const { findAuthorizationFailure, recordUse, unusedGrants } = authorizer(
    {
      effect: 'Allow',
      actions: ['dynamodb:GetItem', 'dynamodb:Query'],
      resources: [items, `${items}/index/*`],
    },
    { effect: 'Deny', actions: ['dynamodb:DeleteItem'], resources: [items] },
  );

  expect(findAuthorizationFailure('reader', [get])).toBe(null);
  expect(unusedGrants()).toHaveLength(4);

  recordUse('reader', [get, { action: 'dynamodb:Query', resource: `${items}/index/by-name` }]);

  expect(unusedGrants()).toEqual([
    { functionName: 'Reader', action: 'dynamodb:GetItem', resource: `${items}/index/*` },
    { functionName: 'Reader', action: 'dynamodb:Query', resource: items },
  ]);
});

it('does not count calls of other callers as use', () => {
  const { recordUse, unusedGrants } = authorizer({
    effect: 'Allow',
    actions: [get.action],
    resources: [items],
  });

  recordUse('local-admin', [get]);
  recordUse(undefined, [get]);

  expect(unusedGrants()).toEqual([{ functionName: 'Reader', ...get }]);
});
