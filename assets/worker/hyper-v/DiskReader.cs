// Reads virtual disks of checkpoints for Causeway. Compiled on the host by Windows PowerShell 5.1 (C# 5, .NET Framework 4), never stored there.
// Speaks the protocol of the worker agent (../PROTOCOL.md): HELLO, PING, OPEN, READ, DIGEST, CLOSE, END. It writes nothing.
using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading;
using Microsoft.Win32.SafeHandles;

namespace Causeway
{
    /// <summary>A request that cannot be carried out, with the status of its answer.</summary>
    public sealed class RequestException : Exception
    {
        public readonly uint Status;
        public RequestException(uint status, string message) : base(message) { Status = status; }
    }

    /// <summary>One virtual disk with its chain, attached to nobody: no drive, no partition and no volume of the host shows it.</summary>
    public sealed class VirtualDisk : IDisposable
    {
        const uint ReadOnly = 1, NoLocalHost = 8;
        readonly SafeFileHandle handle;
        readonly uint unit;
        public readonly long Size;

        public VirtualDisk(string path)
        {
            StorageType type = new StorageType();
            OpenParameters open = new OpenParameters();
            open.Version = 2;
            open.ReadOnly = 1;
            Check(OpenVirtualDisk(ref type, path, 0, 0, ref open, out handle), path);
            try
            {
                IntPtr info = Marshal.AllocHGlobal(64);
                try
                {
                    uint size = 64;
                    Marshal.WriteInt32(info, 1);
                    Check(GetVirtualDiskInformation(handle, ref size, info, IntPtr.Zero), path);
                    Size = Marshal.ReadInt64(info, 8);
                    unit = Math.Max(4096u, (uint)Marshal.ReadInt32(info, 28));
                }
                finally { Marshal.FreeHGlobal(info); }
                AttachParameters attach = new AttachParameters();
                attach.Version = 1;
                // Ends with the handle, and so with the process.
                Check(AttachVirtualDisk(handle, IntPtr.Zero, ReadOnly | NoLocalHost, 0, ref attach, IntPtr.Zero), path);
            }
            catch
            {
                handle.Dispose();
                throw;
            }
        }

        public void Read(long offset, byte[] into, int at, int count)
        {
            long first = offset / unit * unit;
            long end = Math.Min(Size, (offset + count + unit - 1) / unit * unit);
            int length = (int)(end - first);
            IntPtr buffer = Marshal.AllocHGlobal(length + (int)unit);
            try
            {
                IntPtr aligned = new IntPtr((buffer.ToInt64() + unit - 1) / unit * unit);
                ReadSectors(first, aligned, length);
                Marshal.Copy(new IntPtr(aligned.ToInt64() + (offset - first)), into, at, count);
            }
            finally { Marshal.FreeHGlobal(buffer); }
        }

        void ReadSectors(long offset, IntPtr buffer, int count)
        {
            for (int done = 0; done < count; )
            {
                using (ManualResetEvent ready = new ManualResetEvent(false))
                {
                    IntPtr overlapped = Marshal.AllocHGlobal(Marshal.SizeOf(typeof(NativeOverlapped)));
                    try
                    {
                        NativeOverlapped at = new NativeOverlapped();
                        at.OffsetLow = (int)((offset + done) & 0xffffffff);
                        at.OffsetHigh = (int)((offset + done) >> 32);
                        at.EventHandle = ready.SafeWaitHandle.DangerousGetHandle();
                        Marshal.StructureToPtr(at, overlapped, false);
                        uint read;
                        const int pending = 997;
                        if (!ReadFile(handle, new IntPtr(buffer.ToInt64() + done), (uint)(count - done), IntPtr.Zero, overlapped))
                        {
                            int error = Marshal.GetLastWin32Error();
                            if (error != pending) throw new RequestException(7, new Win32Exception(error).Message + " (" + error + ")");
                        }
                        if (!GetOverlappedResult(handle, overlapped, out read, true))
                        {
                            int error = Marshal.GetLastWin32Error();
                            throw new RequestException(7, new Win32Exception(error).Message + " (" + error + ")");
                        }
                        if (read == 0) throw new RequestException(7, "the disk ends before its size");
                        done += (int)read;
                    }
                    finally { Marshal.FreeHGlobal(overlapped); }
                }
            }
        }

        public void Dispose() { handle.Dispose(); }

        static void Check(uint error, string path)
        {
            if (error == 0) return;
            // File not found, path not found.
            uint status = error == 2 || error == 3 ? 6u : error == 32 ? 5u : 7u;
            throw new RequestException(status, path + ": " + new Win32Exception((int)error).Message + " (" + error + ")");
        }

        /// <summary>Attaching needs a right that the tokens of administrators have switched off.</summary>
        public static void EnableManageVolume()
        {
            IntPtr token;
            if (!OpenProcessToken(GetCurrentProcess(), 0x28, out token)) return;
            try
            {
                TokenPrivileges wanted = new TokenPrivileges();
                wanted.Count = 1;
                wanted.Attributes = 2;
                if (LookupPrivilegeValue(null, "SeManageVolumePrivilege", out wanted.Luid)) AdjustTokenPrivileges(token, false, ref wanted, 0, IntPtr.Zero, IntPtr.Zero);
            }
            finally { CloseHandle(token); }
        }

        [StructLayout(LayoutKind.Sequential)]
        struct StorageType { public uint Device; public Guid Vendor; }
        [StructLayout(LayoutKind.Sequential)]
        struct OpenParameters { public uint Version; public int GetInfoOnly; public int ReadOnly; public Guid Resiliency; public Guid Snapshot; }
        [StructLayout(LayoutKind.Sequential)]
        struct AttachParameters { public uint Version; public uint Reserved; public ulong First; public ulong Second; }
        [StructLayout(LayoutKind.Sequential, Pack = 4)]
        struct TokenPrivileges { public uint Count; public long Luid; public uint Attributes; }

        [DllImport("virtdisk.dll", CharSet = CharSet.Unicode)]
        static extern uint OpenVirtualDisk(ref StorageType type, string path, uint access, uint flags, ref OpenParameters parameters, out SafeFileHandle handle);
        [DllImport("virtdisk.dll")]
        static extern uint GetVirtualDiskInformation(SafeFileHandle handle, ref uint size, IntPtr info, IntPtr used);
        [DllImport("virtdisk.dll")]
        static extern uint AttachVirtualDisk(SafeFileHandle handle, IntPtr descriptor, uint flags, uint specific, ref AttachParameters parameters, IntPtr overlapped);
        [DllImport("kernel32.dll", SetLastError = true)]
        static extern bool ReadFile(SafeFileHandle handle, IntPtr buffer, uint count, IntPtr read, IntPtr overlapped);
        [DllImport("kernel32.dll", SetLastError = true)]
        static extern bool GetOverlappedResult(SafeFileHandle handle, IntPtr overlapped, out uint read, bool wait);
        [DllImport("kernel32.dll")]
        static extern IntPtr GetCurrentProcess();
        [DllImport("kernel32.dll")]
        static extern bool CloseHandle(IntPtr handle);
        [DllImport("advapi32.dll", SetLastError = true)]
        static extern bool OpenProcessToken(IntPtr process, uint access, out IntPtr token);
        [DllImport("advapi32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
        static extern bool LookupPrivilegeValue(string system, string name, out long luid);
        [DllImport("advapi32.dll", SetLastError = true)]
        static extern bool AdjustTokenPrivileges(IntPtr token, bool disableAll, ref TokenPrivileges state, uint length, IntPtr previous, IntPtr needed);
    }

    /// <summary>CRC-32 of zlib.</summary>
    public static class Crc32
    {
        static readonly uint[] Table = MakeTable();
        static uint[] MakeTable()
        {
            uint[] table = new uint[256];
            for (uint index = 0; index < 256; index++)
            {
                uint value = index;
                for (int bit = 0; bit < 8; bit++) value = (value & 1) != 0 ? (value >> 1) ^ 0xEDB88320u : value >> 1;
                table[index] = value;
            }
            return table;
        }
        public static uint Of(byte[] bytes, int offset, int count)
        {
            uint crc = 0xffffffff;
            for (int index = offset; index < offset + count; index++) crc = Table[(crc ^ bytes[index]) & 0xff] ^ (crc >> 8);
            return crc ^ 0xffffffff;
        }
    }

    /// <summary>One session: the disks that are open, shared by its connections.</summary>
    public sealed class Session
    {
        public readonly string Token = Guid.NewGuid().ToString("N");
        readonly Dictionary<uint, VirtualDisk> open = new Dictionary<uint, VirtualDisk>();
        uint last;
        long heard = DateTime.UtcNow.Ticks;

        public double IdleSeconds { get { return TimeSpan.FromTicks(DateTime.UtcNow.Ticks - Interlocked.Read(ref heard)).TotalSeconds; } }
        public void Heard() { Interlocked.Exchange(ref heard, DateTime.UtcNow.Ticks); }

        public uint Open(string path, out long size)
        {
            string extension = Path.GetExtension(path).ToLowerInvariant();
            if (extension != ".vhdx" && extension != ".avhdx" && extension != ".vhd" && extension != ".avhd") throw new RequestException(4, path + " is not a virtual disk");
            VirtualDisk disk = new VirtualDisk(path);
            size = disk.Size;
            lock (open)
            {
                open[++last] = disk;
                return last;
            }
        }

        public VirtualDisk Find(uint handle)
        {
            lock (open)
            {
                VirtualDisk disk;
                if (!open.TryGetValue(handle, out disk)) throw new RequestException(2, "no such volume");
                return disk;
            }
        }

        public void Close(uint handle)
        {
            VirtualDisk disk;
            lock (open)
            {
                if (!open.TryGetValue(handle, out disk)) return;
                open.Remove(handle);
            }
            disk.Dispose();
        }

        public void CloseAll()
        {
            lock (open)
            {
                foreach (VirtualDisk disk in open.Values) disk.Dispose();
                open.Clear();
            }
        }
    }

    /// <summary>One connection: requests in, answers out, in any order.</summary>
    public sealed class Connection
    {
        const int HeadBytes = 48, MaxPayload = 4 * 1024 * 1024, MaxDigests = 1024 * 1024;
        readonly Stream input;
        readonly Stream output;
        readonly Session session;
        readonly int idleSeconds;
        readonly SemaphoreSlim room = new SemaphoreSlim(6);
        bool greeted;
        int under;

        public Connection(Stream input, Stream output, Session session, int idleSeconds)
        {
            this.input = input;
            this.output = output;
            this.session = session;
            this.idleSeconds = idleSeconds;
        }

        /// <returns>Whether the caller has asked for the end.</returns>
        public bool Serve()
        {
            byte[] head = new byte[HeadBytes];
            for (;;)
            {
                if (!Fill(head, HeadBytes)) return false;
                session.Heard();
                uint payloadLength = (uint)Number(head, 32, 4);
                if (Number(head, 0, 4) != 0x43535759 || Crc32.Of(head, 0, 44) != (uint)Number(head, 44, 4) || payloadLength > MaxPayload)
                {
                    Answer(head, 0, 1, 0, 0, Text("the header of a frame is damaged"));
                    return false;
                }
                byte[] payload = new byte[payloadLength];
                if (!Fill(payload, (int)payloadLength)) return false;
                if ((Number(head, 6, 2) & 4) != 0 && Crc32.Of(payload, 0, payload.Length) != (uint)Number(head, 40, 4))
                {
                    Answer(head, (uint)Number(head, 8, 4), 1, 0, 0, Text("the payload of a frame does not match its checksum"));
                    return false;
                }
                byte[] asked = (byte[])head.Clone();
                int type = asked[5];
                if (type == 10)
                {
                    while (Volatile.Read(ref under) > 0) Thread.Sleep(10);
                    Answer(asked, Request(asked), 0, 0, 0, new byte[0]);
                    return true;
                }
                if (type != 8 && type != 11)
                {
                    Carry(asked, payload);
                    continue;
                }
                // Beside the others, a few at a time: memory stays bounded.
                room.Wait();
                Interlocked.Increment(ref under);
                ThreadPool.QueueUserWorkItem(delegate
                {
                    try { Carry(asked, payload); }
                    catch (Exception) { /* Of a connection that is gone. What a thread of the pool throws would end the process. */ }
                    finally
                    {
                        Interlocked.Decrement(ref under);
                        room.Release();
                    }
                });
            }
        }

        void Carry(byte[] head, byte[] payload)
        {
            uint request = Request(head);
            try
            {
                long size = 0;
                uint handle = (uint)Number(head, 12, 4);
                byte[] answer = new byte[0];
                int type = head[5];
                if (head[4] != 1) throw new RequestException(2, "version " + head[4] + " of the protocol");
                if (type != 1 && !greeted) throw new RequestException(2, "HELLO is missing");
                switch (type)
                {
                    case 1: answer = Hello(Encoding.UTF8.GetString(payload)); greeted = true; break;
                    case 2: break;
                    case 4: handle = session.Open(Encoding.UTF8.GetString(payload), out size); break;
                    case 8: answer = Digest(session.Find(handle), Number(head, 16, 8), Number(head, 24, 8), Number(head, 36, 4)); break;
                    case 9: session.Close(handle); break;
                    case 11: answer = Read(session.Find(handle), Number(head, 16, 8), Number(head, 24, 8)); break;
                    default: throw new RequestException(2, "request " + type + " is not known here");
                }
                Answer(head, request, 0, handle, size, answer);
            }
            catch (RequestException refused) { Answer(head, request, refused.Status, 0, 0, Text(refused.Message)); }
            catch (IOException) { throw; }
            catch (ObjectDisposedException) { throw; }
            catch (Exception failed) { Answer(head, request, 7, 0, 0, Text(failed.Message)); }
        }

        byte[] Hello(string text)
        {
            // The token of a session to join; without one, the session begins.
            int at = text.IndexOf("\"session\"", StringComparison.Ordinal);
            if (at >= 0 && text.IndexOf(session.Token, at, StringComparison.Ordinal) < 0) throw new RequestException(2, "no such session");
            int process = System.Diagnostics.Process.GetCurrentProcess().Id;
            return Text("{\"version\":1,\"session\":\"" + session.Token + "\",\"features\":[\"read\",\"digest\"],\"maxPayload\":" + MaxPayload + ",\"maxDigestAnswer\":" + MaxDigests
                + ",\"idleSeconds\":" + idleSeconds + ",\"python\":\"\",\"pid\":" + process + "}");
        }

        static byte[] Read(VirtualDisk disk, long offset, long length)
        {
            Inside(disk, offset, length);
            if (length > MaxPayload) throw new RequestException(2, "a read of " + length + " bytes");
            byte[] bytes = new byte[length];
            if (length > 0) disk.Read(offset, bytes, 0, (int)length);
            return bytes;
        }

        static byte[] Digest(VirtualDisk disk, long offset, long length, long block)
        {
            Inside(disk, offset, length);
            if (block < 512 || block > 64 * 1024 * 1024) throw new RequestException(2, "blocks of " + block + " bytes");
            long count = (length + block - 1) / block;
            if (count * 32 > MaxDigests) throw new RequestException(2, "an answer of " + count * 32 + " bytes");
            byte[] digests = new byte[count * 32];
            byte[] piece = new byte[Math.Min(block, 1024 * 1024)];
            for (long index = 0; index < count; index++)
            {
                using (SHA256 hash = SHA256.Create())
                {
                    long from = offset + index * block, to = Math.Min(from + block, offset + length);
                    while (from < to)
                    {
                        int size = (int)Math.Min(piece.Length, to - from);
                        disk.Read(from, piece, 0, size);
                        hash.TransformBlock(piece, 0, size, null, 0);
                        from += size;
                    }
                    hash.TransformFinalBlock(piece, 0, 0);
                    Buffer.BlockCopy(hash.Hash, 0, digests, (int)(index * 32), 32);
                }
            }
            return digests;
        }

        static void Inside(VirtualDisk disk, long offset, long length)
        {
            if (offset < 0 || length < 0 || offset > disk.Size - length) throw new RequestException(3, "beyond the end of the disk");
        }

        void Answer(byte[] asked, uint request, uint status, uint volume, long length, byte[] payload)
        {
            byte[] frame = new byte[HeadBytes + payload.Length];
            Put(frame, 0, 0x43535759, 4);
            frame[4] = 1;
            frame[5] = asked[5];
            Put(frame, 6, 1, 2);
            Put(frame, 8, request, 4);
            Put(frame, 12, volume, 4);
            Put(frame, 24, length, 8);
            Put(frame, 32, payload.Length, 4);
            Put(frame, 36, status, 4);
            Put(frame, 44, Crc32.Of(frame, 0, 44), 4);
            Buffer.BlockCopy(payload, 0, frame, HeadBytes, payload.Length);
            lock (output)
            {
                output.Write(frame, 0, frame.Length);
                output.Flush();
            }
            session.Heard();
        }

        bool Fill(byte[] into, int count)
        {
            for (int done = 0; done < count; )
            {
                int read = input.Read(into, done, count - done);
                if (read <= 0) return false;
                done += read;
            }
            return true;
        }

        static uint Request(byte[] head) { return (uint)Number(head, 8, 4); }
        static byte[] Text(string text) { return Encoding.UTF8.GetBytes(text); }
        static long Number(byte[] from, int at, int size)
        {
            long value = 0;
            for (int index = 0; index < size; index++) value = (value << 8) | from[at + index];
            return value;
        }
        static void Put(byte[] into, int at, long value, int size)
        {
            for (int index = size - 1; index >= 0; index--)
            {
                into[at + index] = (byte)value;
                value >>= 8;
            }
        }
    }

    public static class DiskReader
    {
        /// <summary>Over standard input and output, until the caller ends it or goes away.</summary>
        public static void ServeStreams(Stream input, Stream output, int idleSeconds)
        {
            VirtualDisk.EnableManageVolume();
            Session session = new Session();
            using (new Timer(delegate { if (session.IdleSeconds > idleSeconds) Environment.Exit(4); }, null, 1000, 1000))
            {
                try { new Connection(input, output, session, idleSeconds).Serve(); }
                finally { session.CloseAll(); }
            }
        }

        /// <summary>Over TLS on a port, for the one client certificate, until the caller ends it, nobody speaks to it, or it is stopped.</summary>
        public static void Serve(TcpListener listener, X509Certificate2 own, string clientSha256, int idleSeconds, EventWaitHandle stop)
        {
            VirtualDisk.EnableManageVolume();
            Session session = new Session();
            ManualResetEvent ended = new ManualResetEvent(false);
            int connections = 0;
            bool greeted = false;
            try
            {
                Thread accept = new Thread(delegate()
                {
                    for (;;)
                    {
                        TcpClient client;
                        try { client = listener.AcceptTcpClient(); }
                        catch (SocketException) { return; }
                        catch (ObjectDisposedException) { return; }
                        Thread thread = new Thread(delegate()
                        {
                            bool isIn = false;
                            try
                            {
                                client.NoDelay = true;
                                client.ReceiveTimeout = 30000;
                                using (SslStream tls = new SslStream(client.GetStream(), false, delegate(object sender, X509Certificate shown, X509Chain chain, SslPolicyErrors errors) { return IsClient(shown, clientSha256); }))
                                {
                                    tls.AuthenticateAsServer(own, true, SslProtocols.Tls12, false);
                                    client.ReceiveTimeout = 0;
                                    isIn = true;
                                    Interlocked.Increment(ref connections);
                                    greeted = true;
                                    if (new Connection(tls, tls, session, idleSeconds).Serve()) ended.Set();
                                }
                            }
                            catch (Exception) { /* Whoever connects and hangs up, with whatever bytes, must not end the process: it would leave its rule of the firewall. */ }
                            finally
                            {
                                client.Close();
                                // The last connection of the session was lost.
                                if (isIn && Interlocked.Decrement(ref connections) == 0 && greeted) ended.Set();
                            }
                        });
                        thread.IsBackground = true;
                        thread.Start();
                    }
                });
                accept.IsBackground = true;
                accept.Start();
                WaitHandle[] ends = new WaitHandle[] { ended, stop };
                while (WaitHandle.WaitAny(ends, 1000) == WaitHandle.WaitTimeout) if (session.IdleSeconds > idleSeconds) break;
            }
            finally
            {
                listener.Stop();
                session.CloseAll();
            }
        }

        static bool IsClient(X509Certificate shown, string clientSha256)
        {
            if (shown == null) return false;
            using (SHA256 hash = SHA256.Create())
            {
                byte[] digest = hash.ComputeHash(shown.GetRawCertData());
                return BitConverter.ToString(digest).Replace("-", "").Equals(clientSha256, StringComparison.OrdinalIgnoreCase);
            }
        }
    }
}
