import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Smartphone } from 'lucide-react';
import { useRef, useState } from 'react';
import { post, remove } from '#dashboard/api/client.ts';
import { accountQuery } from '#dashboard/api/sign-in.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { Section } from '#dashboard/components/section.tsx';
import type { Account } from '#lambdas/accounts/sign-in/responses.ts';
import { TotpDialog } from './totp-dialog.tsx';

export function AuthenticatorApp({ account }: { account: Account }) {
  const queryClient = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const [isSettingUp, setSettingUp] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const setup = useMutation({ mutationFn: () => post('/account/totp') });
  const { totp_enabled: isEnabled, mfa_required: isRequired } = account;

  const start = () => {
    setup.mutate();
    setSettingUp(true);
  };
  const removeApp = async () => {
    await remove('/account/totp');
    await queryClient.invalidateQueries(accountQuery);
    notifySuccess('The authenticator app has been removed');
  };

  return (
    <Section
      title="Two-step verification"
      description="After your password, signing in asks for a code from an app on your phone."
      headingRef={heading}
    >
      <div className="flex flex-wrap items-center gap-x-3.5 gap-y-3 px-5 py-3.5">
        <span className="flex size-9 shrink-0 items-center justify-center rounded-lg border border-line bg-canvas">
          <Smartphone aria-hidden className="size-4 text-muted" />
        </span>
        <div className="min-w-0 flex-1 basis-48">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            Authenticator app
            {isEnabled ? <Badge tone="success">On</Badge> : <Badge>Off</Badge>}
            {isRequired && <Badge tone="accent">Required</Badge>}
          </p>
          <p id="authenticator-app-state" className="text-[0.8125rem] text-muted">
            {stateText(isEnabled, isRequired)}
          </p>
        </div>
        {isEnabled ? (
          <Button
            size="small"
            disabled={isRequired}
            aria-label="Remove authenticator app"
            aria-describedby="authenticator-app-state"
            onClick={() => setRemoving(true)}
          >
            Remove
          </Button>
        ) : (
          <Button size="small" variant="primary" aria-label="Set up authenticator app" onClick={start}>
            Set up
          </Button>
        )}
      </div>
      <TotpDialog open={isSettingUp} onOpenChange={setSettingUp} setup={setup} focusAfter={heading} />
      <ConfirmDialog
        subject={isRemoving || null}
        onClose={() => setRemoving(false)}
        title="Remove authenticator app?"
        description={() =>
          'Your password alone will be enough to sign in. You can set up an app again at any time.'
        }
        confirmLabel="Remove app"
        confirm={removeApp}
        focusAfter={heading}
      />
    </Section>
  );
}

function stateText(isEnabled: boolean, isRequired: boolean): string {
  if (isEnabled && isRequired) return 'It cannot be removed, since this gateway requires a second step.';
  if (isEnabled) return 'Signing in with your password asks for its code.';
  if (isRequired) return 'This gateway requires a second step.';
  return 'Such as 1Password, Google Authenticator or Microsoft Authenticator.';
}
