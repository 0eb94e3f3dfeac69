/** Authorizes calls by the access key id of the caller, with the same error messages as AWS. */
import { administratorAccessKeyId, administratorArn, localAccountId } from '../identities.ts';
import { allows, decide, type Grant, type Statement } from './policies.ts';

export interface FunctionIdentity {
  functionName: string;
  roleName: string;
  statements: readonly Statement[];
}

export type AuthorizationFailure =
  | { kind: 'unknown caller'; message: string }
  | { kind: 'access denied'; message: string };

export interface Authorizer {
  /** As `sts:GetCallerIdentity` returns it; `null` for an unknown access key. */
  findCallerArn(accessKeyId: string | undefined): string | null;
  findAuthorizationFailure(
    accessKeyId: string | undefined,
    grants: readonly Grant[],
  ): AuthorizationFailure | null;
  recordUse(accessKeyId: string | undefined, grants: readonly Grant[]): void;
  /** Permissions of the functions' roles that no function has used so far. */
  unusedGrants(): FunctionGrant[];
}

/** `action` and `resource` are patterns. */
export interface FunctionGrant extends Grant {
  functionName: string;
}

const unknownCallerFailure: AuthorizationFailure = {
  kind: 'unknown caller',
  message: `The security token included in the request is invalid: use the access key id ${administratorAccessKeyId} for the local AWS endpoint`,
};

export function createAuthorizer(functionsByAccessKeyId: ReadonlyMap<string, FunctionIdentity>): Authorizer {
  const decisions = new Map<string, AuthorizationFailure | null>();
  const usedByAccessKeyId = new Map<string, Map<string, Grant>>();
  return {
    findCallerArn(accessKeyId = '') {
      if (accessKeyId === administratorAccessKeyId) return administratorArn;
      const caller = functionsByAccessKeyId.get(accessKeyId);
      return caller === undefined ? null : functionArn(caller);
    },
    recordUse(accessKeyId = '', grants) {
      const usedGrants = usedByAccessKeyId.get(accessKeyId) ?? new Map<string, Grant>();
      usedByAccessKeyId.set(accessKeyId, usedGrants);
      for (const grant of grants) usedGrants.set(`${grant.action} ${grant.resource}`, grant);
    },
    unusedGrants: () =>
      [...functionsByAccessKeyId].flatMap(([accessKeyId, caller]) =>
        findUnusedGrants(caller, [...(usedByAccessKeyId.get(accessKeyId)?.values() ?? [])]),
      ),
    findAuthorizationFailure(accessKeyId, grants) {
      if (accessKeyId === administratorAccessKeyId) return null;
      const caller = accessKeyId === undefined ? undefined : functionsByAccessKeyId.get(accessKeyId);
      if (caller === undefined) return unknownCallerFailure;
      for (const grant of grants) {
        const key = `${accessKeyId} ${grant.action} ${grant.resource}`;
        let failure = decisions.get(key);
        if (failure === undefined) {
          failure = checkGrant(caller, grant);
          decisions.set(key, failure);
        }
        if (failure !== null) return failure;
      }
      return null;
    },
  };
}

function findUnusedGrants(
  { functionName, statements }: FunctionIdentity,
  used: readonly Grant[],
): FunctionGrant[] {
  return statements
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(({ actions, resources }) =>
      actions.flatMap((action) => resources.map((resource) => ({ functionName, action, resource }))),
    )
    .filter((grant) => !used.some((use) => allows(grant, use)));
}

/** The session of a function's role has the function's name. */
function functionArn({ roleName, functionName }: FunctionIdentity): string {
  return `arn:aws:sts::${localAccountId}:assumed-role/${roleName}/${functionName}`;
}

function checkGrant(caller: FunctionIdentity, { action, resource }: Grant): AuthorizationFailure | null {
  const decision = decide(caller.statements, { action, resource });
  if (decision === 'allow') return null;
  const reason =
    decision === 'explicit deny'
      ? 'with an explicit deny in an identity-based policy'
      : `because no identity-based policy allows the ${action} action`;
  return {
    kind: 'access denied',
    message: `User: ${functionArn(caller)} is not authorized to perform: ${action} on resource: ${resource} ${reason}`,
  };
}
