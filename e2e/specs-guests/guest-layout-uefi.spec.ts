// needs: ovmf
// lease: emulated guests
import { guestLayoutSuite } from '../conformance/guest-layout.ts';

guestLayoutSuite('uefi');
