/** Decides whether a caller, known by its access key id, may do something, and says so in AWS's words. */
import { administratorAccessKeyId, localAccountId } from '../identities.ts';
import { allows, decide, type Grant, type Statement } from './policies.ts';

/** A function of the template as a caller of AWS. */
export interface FunctionIdentity {
  functionName: string;
  roleName: string;
  statements: readonly Statement[];
}

export type Refusal =
  | { kind: 'unknown caller'; message: string }
  | { kind: 'access denied'; message: string };

export interface Authorizer {
  /** `null` when the caller may do all of it. */
  refusalOf(accessKeyId: string | undefined, grants: readonly Grant[]): Refusal | null;
  /** To be told of what a caller does, having asked whether it may. */
  recordUse(accessKeyId: string | undefined, grants: readonly Grant[]): void;
  /** What the functions' roles allow and no function has done so far. */
  unusedGrants(): FunctionGrant[];
}

/** `action` and `resource` are patterns. */
export interface FunctionGrant extends Grant {
  functionName: string;
}

export function createAuthorizer(functionsByAccessKeyId: ReadonlyMap<string, FunctionIdentity>): Authorizer {
  const decisions = new Map<string, Refusal | null>();
  /** By access key id; each grant once. */
  const used = new Map<string, Map<string, Grant>>();
  return {
    recordUse(accessKeyId = '', grants) {
      const known = used.get(accessKeyId) ?? new Map<string, Grant>();
      used.set(accessKeyId, known);
      for (const grant of grants) known.set(`${grant.action} ${grant.resource}`, grant);
    },
    unusedGrants: () =>
      [...functionsByAccessKeyId].flatMap(([accessKeyId, caller]) =>
        unusedOf(caller, [...(used.get(accessKeyId)?.values() ?? [])]),
      ),
    refusalOf(accessKeyId, grants) {
      if (accessKeyId === administratorAccessKeyId) return null;
      const caller = accessKeyId === undefined ? undefined : functionsByAccessKeyId.get(accessKeyId);
      if (caller === undefined) return unknownCaller;
      for (const grant of grants) {
        const key = `${accessKeyId} ${grant.action} ${grant.resource}`;
        let refusal = decisions.get(key);
        if (refusal === undefined) {
          refusal = decideFor(caller, grant);
          decisions.set(key, refusal);
        }
        if (refusal !== null) return refusal;
      }
      return null;
    },
  };
}

function unusedOf({ functionName, statements }: FunctionIdentity, used: readonly Grant[]): FunctionGrant[] {
  return statements
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(({ actions, resources }) =>
      actions.flatMap((action) => resources.map((resource) => ({ functionName, action, resource }))),
    )
    .filter((grant) => !used.some((use) => allows(grant, use)));
}

const unknownCaller: Refusal = {
  kind: 'unknown caller',
  message: `The security token included in the request is invalid: call the local gateway's AWS with the access key id ${administratorAccessKeyId}`,
};

function decideFor(caller: FunctionIdentity, { action, resource }: Grant): Refusal | null {
  const decision = decide(caller.statements, { action, resource });
  if (decision === 'allowed') return null;
  const user = `arn:aws:sts::${localAccountId}:assumed-role/${caller.roleName}/${caller.functionName}`;
  const reason =
    decision === 'denied'
      ? 'with an explicit deny in an identity-based policy'
      : `because no identity-based policy allows the ${action} action`;
  return {
    kind: 'access denied',
    message: `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${reason}`,
  };
}
