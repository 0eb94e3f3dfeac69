import { Fragment } from 'react';
import { Fact } from '#dashboard/components/facts.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import type { ApiKeyDetails, ApiKeyName, CreatorSummary } from '#lambdas/accounts/organizations/responses.ts';
import { LastUse } from '../last-request.tsx';
import { StateBadge } from '../state-cell.tsx';

/** The state, the origin and the rotations of a key. */
export function KeyFacts({ apiKey }: { apiKey: ApiKeyDetails }) {
  const { created_at: createdAt, created_by: creator, rotated_by: rotator, replaces } = apiKey;
  return (
    <dl className="grid gap-x-8 gap-y-4 p-5 sm:grid-cols-2 lg:grid-cols-4">
      <Fact label="State">
        <StateBadge apiKey={apiKey} />
        {apiKey.revoked_at !== null && (
          <span className="block text-[0.8125rem] text-muted">
            <Time value={apiKey.revoked_at} focusable />
            {apiKey.revoked_by && ` by ${personName(apiKey.revoked_by)}`}
          </span>
        )}
      </Fact>
      <Fact label="Key">
        <code className="font-mono text-[0.8125rem]">pt_live_…{apiKey.last_four}</code>
      </Fact>
      <Fact label="Last used">
        <LastUse apiKey={apiKey} />
      </Fact>
      <Fact label={endLabel(apiKey)}>
        {apiKey.ends_at === null ? 'Never' : <Time value={apiKey.ends_at} focusable />}
      </Fact>
      <Fact label="Created">
        <Time value={createdAt} focusable />
        <span className="block text-[0.8125rem] text-muted">by {personName(creator)}</span>
        {rotator && rotator.name !== creator.name && (
          <span className="block text-[0.8125rem] text-muted">rotated by {personName(rotator)}</span>
        )}
      </Fact>
      {replaces.length > 0 && (
        <Fact label="Replaces">
          <KeyNames keys={replaces} />
        </Fact>
      )}
      {apiKey.replaced_by && (
        <Fact label="Replaced by">
          <KeyNames keys={[apiKey.replaced_by]} />
        </Fact>
      )}
      <Fact label="Key ID">
        <code className="font-mono text-xs break-all">{apiKey.id}</code>
      </Fact>
    </dl>
  );
}

/** A rotation keeps the name: the last four characters tell the keys apart. */
function KeyNames({ keys }: { keys: readonly ApiKeyName[] }) {
  return keys.map(({ id, name, last_four: lastFour }, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <KeyLink keyId={id} name={name} />{' '}
      <code className="font-mono text-xs whitespace-nowrap text-muted">…{lastFour}</code>
    </Fragment>
  ));
}

function endLabel({
  state,
  replaced_by: replacement,
  expires_at: expires,
  ends_at: ends,
}: ApiKeyDetails): string {
  if (replacement !== null && ends !== expires)
    return state === 'active' ? 'Ends, since it is replaced' : 'Ended';
  return state === 'expired' ? 'Expired' : 'Expires';
}

function personName({ id, name, active }: CreatorSummary): string {
  if (id === null) return 'an operator';
  return active ? name : `${name}, who has left`;
}
