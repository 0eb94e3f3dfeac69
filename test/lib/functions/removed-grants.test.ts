/**
 * `test/integration/grants.test.ts` shows that the functions use every permission of their roles and are denied nothing. These
 * tests show that they would be denied something without any one of the permissions: together, that none is missing.
 */
import { expect, it } from 'vitest';
import { createAuthorizer } from '#local/permissions/authorization.ts';
import { type Grant, readRoleStatements, type Statement } from '#local/permissions/policies.ts';
import { hostedFunctions, referencedId } from '#local/template/template.ts';
import { fullTemplate } from '#test/support/template-checks/planted-error.ts';
import { createResolver } from '#test/support/template-checks/resolver.ts';
import { loadSpecification } from '#test/support/template-checks/specification.ts';

const { localTemplate, resolve } = createResolver(fullTemplate(), await loadSpecification());

interface FunctionGrants {
  functionName: string;
  grants: Grant[];
}

const functions = hostedFunctions(localTemplate).map(({ logicalId, properties }): FunctionGrants => {
  const statements = readRoleStatements(localTemplate, referencedId(properties.Role) ?? '', resolve);
  const grants = statements.flatMap(({ actions, resources }) =>
    actions.flatMap((action) => resources.map((resource) => ({ action, resource }))),
  );
  return { functionName: logicalId, grants };
});

/** Authorizes a call that the removed grant allowed, with the remaining ones. */
function isDenied(functionName: string, removed: Grant, remaining: Grant[]): boolean {
  const statements = remaining.map(
    ({ action, resource }): Statement => ({ effect: 'Allow', actions: [action], resources: [resource] }),
  );
  const caller = { functionName, roleName: functionName, statements };
  const call = { ...removed, resource: removed.resource.replaceAll('*', 'any') };
  const failure = createAuthorizer(new Map([['key', caller]])).findAuthorizationFailure('key', [call]);
  return failure?.kind === 'access denied';
}

it('denies each call of a function without its permission, since no other one includes it', () => {
  const redundant = functions.flatMap(({ functionName, grants }) =>
    grants
      .filter((grant, index) => !isDenied(functionName, grant, grants.toSpliced(index, 1)))
      .map(({ action, resource }) => `${functionName}: ${action} on ${resource}`),
  );

  expect(functions.flatMap(({ grants }) => grants).length).toBeGreaterThan(100);
  expect(redundant).toEqual([]);
});
