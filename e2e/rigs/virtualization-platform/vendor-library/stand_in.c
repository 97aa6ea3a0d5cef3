/*
 * A stand-in for the vendor's disk library, with the functions that nbdkit's plugin asks for: it serves image files.
 *
 * The folder that it is initialized with has a file `stand-in.conf` with lines `key=value`: `log`, a file that it appends a line
 * per call to; `user`, `password`, `thumbprint`, which a connection must have; `disk`, a path of the platform, `=`, an image file.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define SECTOR 512
#define CHUNK_LIMIT 524288

typedef uint64_t Result;
enum { OK = 0, FAIL = 1, INVALID = 3, NOT_FOUND = 4, DENIED = 13 };

typedef struct {
  char *vmx_spec;
  char *server;
  char *thumbprint;
  long reserved1;
  int credential_type;
  union {
    struct { char *user; char *password; } uid;
    struct { char *cookie; char *user; char *key; } session;
    void *reserved2;
  } credentials;
  uint32_t port;
  uint32_t nfc_port;
  char *reserved3;
  char reserved4[8];
  void *reserved5;
  union { struct { char *id; char *datastore; char *ss_id; } object; } spec;
  int spec_type;
} ConnectParams;

typedef struct { uint32_t cylinders, heads, sectors; } Geometry;

typedef struct {
  Geometry bios, physical;
  uint64_t capacity;
  int adapter;
  int links;
  char *parent;
  char *uuid;
  uint32_t logical_sector, physical_sector;
} Info;

typedef struct { uint64_t offset, length; } Block;
typedef struct { uint32_t count; Block blocks[]; } BlockList;

typedef struct { int live; } Connection;
typedef struct { int file; uint64_t sectors; } Handle;

static char folder[4096];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* Copies the value of the first line `key=…` whose value starts with `prefix`, without that. */
static int setting (const char *key, const char *prefix, char *into, size_t size)
{
  char path[4200], line[4096];
  snprintf (path, sizeof path, "%s/stand-in.conf", folder);
  FILE *file = fopen (path, "r");
  int found = 0;
  while (file != NULL && !found && fgets (line, sizeof line, file) != NULL) {
    line[strcspn (line, "\n")] = 0;
    size_t length = strlen (key);
    if (strncmp (line, key, length) != 0 || line[length] != '=') continue;
    if (strncmp (line + length + 1, prefix, strlen (prefix)) != 0) continue;
    snprintf (into, size, "%s", line + length + 1 + strlen (prefix));
    found = 1;
  }
  if (file != NULL) fclose (file);
  return found;
}

static void note (const char *format, ...)
{
  char path[4096];
  if (!setting ("log", "", path, sizeof path)) return;
  pthread_mutex_lock (&guard);
  FILE *log = fopen (path, "a");
  if (log != NULL) {
    va_list arguments;
    va_start (arguments, format);
    vfprintf (log, format, arguments);
    va_end (arguments);
    fputc ('\n', log);
    fclose (log);
  }
  pthread_mutex_unlock (&guard);
}

static int is_wanted (const char *key, const char *given)
{
  char wanted[1024];
  return !setting (key, "", wanted, sizeof wanted) || (given != NULL && strcmp (wanted, given) == 0);
}

EXPORT Result VixDiskLib_InitEx (uint32_t major, uint32_t minor, void *log, void *warn, void *panic, const char *lib_dir, const char *config)
{
  snprintf (folder, sizeof folder, "%s", lib_dir == NULL ? "" : lib_dir);
  note ("init %u.%u callbacks %d config %d", major, minor, log != NULL && warn != NULL && panic != NULL, config != NULL && access (config, R_OK) == 0);
  return OK;
}

EXPORT void VixDiskLib_Exit (void) { note ("exit"); }

EXPORT char *VixDiskLib_GetErrorText (Result error, const char *unused)
{
  (void) unused;
  switch (error) {
  case DENIED: return strdup ("You do not have access rights to this file");
  case NOT_FOUND: return strdup ("A file was not found");
  case INVALID: return strdup ("One of the parameters was invalid");
  default: return strdup ("Unknown error");
  }
}

EXPORT void VixDiskLib_FreeErrorText (char *text) { free (text); }
EXPORT ConnectParams *VixDiskLib_AllocateConnectParams (void) { return calloc (1, sizeof (ConnectParams)); }
EXPORT void VixDiskLib_FreeConnectParams (ConnectParams *params) { free (params); }

EXPORT Result VixDiskLib_ConnectEx (const ConnectParams *params, char read_only, const char *snapshot, const char *modes, Connection **connection)
{
  note ("connect %s vm %s snapshot %s modes %s read-only %d port %u nfc %u", params->server, params->vmx_spec, snapshot == NULL ? "-" : snapshot,
        modes == NULL ? "-" : modes, read_only, params->port, params->nfc_port);
  if (params->credential_type != 1) return INVALID;
  if (!is_wanted ("user", params->credentials.uid.user) || !is_wanted ("password", params->credentials.uid.password)) return DENIED;
  if (!is_wanted ("thumbprint", params->thumbprint)) return DENIED;
  *connection = calloc (1, sizeof (Connection));
  return OK;
}

EXPORT Result VixDiskLib_Disconnect (Connection *connection)
{
  note ("disconnect");
  free (connection);
  return OK;
}

EXPORT Result VixDiskLib_Open (Connection *connection, const char *path, uint32_t flags, Handle **handle)
{
  char key[2048], image[4096];
  struct stat facts;
  (void) connection;
  note ("open %s flags %u", path, flags);
  snprintf (key, sizeof key, "%s=", path);
  if (!setting ("disk", key, image, sizeof image)) return NOT_FOUND;
  int file = open (image, O_RDONLY | O_CLOEXEC);
  if (file == -1 || fstat (file, &facts) == -1) return NOT_FOUND;
  *handle = calloc (1, sizeof (Handle));
  (*handle)->file = file;
  (*handle)->sectors = facts.st_size / SECTOR;
  return OK;
}

EXPORT Result VixDiskLib_Close (Handle *handle)
{
  note ("close");
  close (handle->file);
  free (handle);
  return OK;
}

EXPORT const char *VixDiskLib_ListTransportModes (void) { return "file:nbdssl:nbd"; }
EXPORT const char *VixDiskLib_GetTransportMode (Handle *handle) { (void) handle; return "nbdssl"; }

EXPORT Result VixDiskLib_GetInfo (Handle *handle, Info **info)
{
  *info = calloc (1, sizeof (Info));
  (*info)->capacity = handle->sectors;
  (*info)->adapter = 3;
  (*info)->links = 1;
  (*info)->logical_sector = (*info)->physical_sector = SECTOR;
  return OK;
}

EXPORT void VixDiskLib_FreeInfo (Info *info) { free (info); }

EXPORT Result VixDiskLib_Read (Handle *handle, uint64_t start, uint64_t count, unsigned char *into)
{
  if (start + count > handle->sectors) return INVALID;
  for (uint64_t done = 0; done < count * SECTOR;) {
    ssize_t got = pread (handle->file, into + done, count * SECTOR - done, start * SECTOR + done);
    if (got <= 0) return FAIL;
    done += got;
  }
  return OK;
}

EXPORT Result VixDiskLib_ReadAsync (Handle *handle, uint64_t start, uint64_t count, unsigned char *into, void (*done) (void *, Result), void *data)
{
  done (data, VixDiskLib_Read (handle, start, count, into));
  return 25000; /* asynchronous */
}

EXPORT Result VixDiskLib_Wait (Handle *handle) { (void) handle; return OK; }
EXPORT Result VixDiskLib_Flush (Handle *handle) { (void) handle; return OK; }
EXPORT Result VixDiskLib_Write (Handle *handle, uint64_t start, uint64_t count, const unsigned char *from) { (void) handle; (void) start; (void) count; (void) from; return 6; }
EXPORT Result VixDiskLib_WriteAsync (Handle *handle, uint64_t start, uint64_t count, const unsigned char *from, void *done, void *data) { (void) handle; (void) start; (void) count; (void) from; (void) done; (void) data; return 6; }
EXPORT Result VixDiskLib_Create (Connection *connection, const char *path, const void *params, void *progress, void *data) { (void) connection; (void) path; (void) params; (void) progress; (void) data; return 6; }

EXPORT Result VixDiskLib_QueryAllocatedBlocks (Handle *handle, uint64_t start, uint64_t count, uint64_t chunk, BlockList **list)
{
  if (chunk < 128 || start % chunk != 0 || count % chunk != 0 || count / chunk > CHUNK_LIMIT || start + count > handle->sectors) return INVALID;
  note ("allocated %llu %llu", (unsigned long long) start, (unsigned long long) count);
  *list = calloc (1, sizeof (BlockList) + (count / chunk) * sizeof (Block));
  unsigned char *bytes = malloc (chunk * SECTOR);
  for (uint64_t at = start; at < start + count; at += chunk) {
    if (VixDiskLib_Read (handle, at, chunk, bytes) != OK) break;
    int is_data = 0;
    for (uint64_t index = 0; index < chunk * SECTOR && !is_data; index++) is_data = bytes[index] != 0;
    if (!is_data) continue;
    Block *last = (*list)->count == 0 ? NULL : &(*list)->blocks[(*list)->count - 1];
    if (last != NULL && last->offset + last->length == at) last->length += chunk;
    else (*list)->blocks[(*list)->count++] = (Block) { at, chunk };
  }
  free (bytes);
  return OK;
}

EXPORT Result VixDiskLib_FreeBlockList (BlockList *list) { free (list); return OK; }
