import Testing

@testable import HostWatch

@Suite("The disks' counters")
struct DiskTests {
  @Test("The disks' counters leave out partitions and devices that keep their data on others")
  func disks() throws {
    let disks = try ByteCounters.disks(
      procDiskstats: """
           7       0 loop0 18 0 2246 3 0 0 0 0 0 8 3 0 0 0 0 0 0
         254       0 vda 6760 3794 4683530 12052 1689 3766 200240 934 0 4064 13022 220 0 61656 28 163 7
         254       1 vda1 6700 3794 4683000 12000 1600 3766 200000 900 0 4064 13022
         259       0 nvme0n1 100 0 8 1 200 0 16 1 0 1 2
         259       1 nvme0n1p1 100 0 8 1 200 0 16 1 0 1 2
         253       0 dm-0 100 0 8 1 200 0 16 1 0 1 2
         202       1 xvda1 1 0 2 1 1 0 4 1 0 1 2
        """)
    #expect(
      disks == [
        ByteCounters(name: "vda", incoming: 4_683_530 * 512, outgoing: 200_240 * 512),
        ByteCounters(name: "nvme0n1", incoming: 8 * 512, outgoing: 16 * 512),
        // The only device of some virtual machines, without a whole disk around it.
        ByteCounters(name: "xvda1", incoming: 2 * 512, outgoing: 4 * 512),
      ])
  }

  @Test("An empty /proc/diskstats gives no counters")
  func none() throws {
    #expect(try ByteCounters.disks(procDiskstats: "").isEmpty)
  }

  @Test(
    "An error names the line of /proc/diskstats that can't be read",
    arguments: [
      ("8 0 sda 1 2 3", "/proc/diskstats:1: there are 6 fields, and field 10 is missing"),
      ("8 0 sda 1 2 ? 4 5 6 7 8", "/proc/diskstats:1: field 6 is \"?\", not a count"),
      ("8 0", "/proc/diskstats:1: there are 2 fields, and field 3 is missing"),
    ]
  )
  func malformed(text: String, message: String) {
    let error = #expect(throws: HostError.self) { try ByteCounters.disks(procDiskstats: text) }
    #expect(error?.description == message)
  }
}

@Suite("The mounts")
struct MountTests {
  @Test("The mounts are those of local devices, each once, and the root")
  func mounts() throws {
    let mounts = try Mount.mounts(
      procMounts: #"""
        overlay / overlay rw,relatime,lowerdir=/a 0 0
        proc /proc proc rw,relatime 0 0
        tmpfs /dev/shm tmpfs rw,relatime,size=24684092k 0 0
        /dev/vda /data ext4 rw,relatime,discard 0 0
        /dev/vda /etc/hosts ext4 rw,relatime,discard 0 0
        /dev/sdb1 /media/My\040Disk\134 vfat rw 0 0
        /dev/loop3 /snap/core/1 squashfs ro 0 0
        //server/share /mnt/share cifs rw 0 0
        server:/home /home nfs4 rw 0 0
        """#)
    #expect(
      mounts == [
        Mount(device: "overlay", mountPoint: "/"),
        Mount(device: "/dev/vda", mountPoint: "/data"),
        Mount(device: "/dev/sdb1", mountPoint: #"/media/My Disk\"#),
      ])
  }

  @Test("A mount keeps a backslash that begins no octal number")
  func backslash() throws {
    let mounts = try Mount.mounts(procMounts: #"/dev/a /x\9z\04 ext4"#)
    #expect(mounts.map(\.mountPoint) == [#"/x\9z\04"#])
  }

  @Test("An error names the line of /proc/mounts that can't be read")
  func malformed() {
    let error = #expect(throws: HostError.self) { try Mount.mounts(procMounts: "/dev/vda / ext4\n/dev/vdb") }
    #expect(error?.description == "/proc/mounts:2: there are 1 fields, and field 2 is missing")
  }
}
