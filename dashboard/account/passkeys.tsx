import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint, KeyRound, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { remove } from '#dashboard/api/client.ts';
import { accountQuery } from '#dashboard/api/sign-in.ts';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import type { Account, Passkey } from '#lambdas/accounts/sign-in/responses.ts';

export function Passkeys({ account }: { account: Account }) {
  const queryClient = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const { passkeys, add_passkey_url: addUrl } = account;

  const removePasskey = async ({ id }: Passkey) => {
    await remove(`/account/passkeys/${encodeURIComponent(id)}`);
    await queryClient.invalidateQueries(accountQuery);
    notifySuccess('The passkey has been removed');
  };

  const addLink = (
    <a href={addUrl} className={buttonClasses({ size: 'small' })}>
      <Plus aria-hidden />
      Add passkey
    </a>
  );

  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, face or screen lock instead of a password."
      headingRef={heading}
      action={passkeys.length > 0 && addLink}
    >
      {passkeys.length === 0 ? (
        <EmptyState icon={Fingerprint} title="No passkeys yet" action={addLink}>
          A passkey cannot be guessed, reused or given away to a forged site. It replaces password and second
          step.
        </EmptyState>
      ) : (
        <ul>
          {passkeys.map((passkey) => (
            <li
              key={passkey.id}
              className="flex items-center gap-3.5 border-line px-5 py-3.5 not-first:border-t"
            >
              <span className="flex size-9 shrink-0 items-center justify-center rounded-lg border border-line bg-canvas">
                <KeyRound aria-hidden className="size-4 text-muted" />
              </span>
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{passkey.name}</p>
                <p className="text-[0.8125rem] text-muted">
                  Added <Time value={passkey.created_at} format="date" focusable />
                </p>
              </div>
              <Button
                size="small"
                aria-label={`Remove passkey ${passkey.name}`}
                onClick={() => setRemoving(passkey)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        subject={removing}
        onClose={() => setRemoving(null)}
        title="Remove passkey?"
        description={(passkey) => (
          <>
            You can no longer sign in with <strong className="font-medium text-text">{passkey.name}</strong>.
            Delete it in your password manager or device as well.
          </>
        )}
        confirmLabel="Remove passkey"
        confirm={removePasskey}
        focusAfter={heading}
      />
    </Section>
  );
}
