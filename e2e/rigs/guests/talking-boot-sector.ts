/** Where the text begins in the sector, and how long it may be. */
export const textOffset = 0x40;
const textRoom = 0x1fe - textOffset;

/**
 * The smallest guest there is: a BIOS boot sector that says its text on the first serial port and halts. What a disk
 * says when it is booted is thus a part of its content.
 */
export function talkingBootSector(text: string): Buffer {
  const sector = Buffer.alloc(512);
  Buffer.from([
    0x31,
    0xc0, // xor ax, ax
    0x8e,
    0xd8, // mov ds, ax
    0xbe,
    0x40,
    0x7c, // mov si, text
    0xac, // next: lodsb
    0x84,
    0xc0, // test al, al
    0x74,
    0x12, // jz halt
    0x88,
    0xc4, // mov ah, al
    0xba,
    0xfd,
    0x03, // wait: mov dx, line status register
    0xec, // in al, dx
    0xa8,
    0x20, // test al, transmitter empty
    0x74,
    0xf8, // jz wait
    0x88,
    0xe0, // mov al, ah
    0xba,
    0xf8,
    0x03, // mov dx, transmitter
    0xee, // out dx, al
    0xeb,
    0xe9, // jmp next
    0xfa,
    0xf4,
    0xeb,
    0xfd, // halt: cli; hlt; jmp to hlt
  ]).copy(sector);
  bootText(text).copy(sector, textOffset);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

/** The text as it stands in the sector, for whoever changes it there. */
export function bootText(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`, 'latin1');
  if (bytes.length > textRoom) throw new Error(`a boot sector has room for ${textRoom} bytes of text`);
  return bytes;
}
