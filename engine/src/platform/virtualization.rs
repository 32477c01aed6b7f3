//! Detects a virtual machine and its hypervisor.

/// Returns the name of the hypervisor of this system, such as "KVM"; `None` on bare metal or if none is reported.
pub fn virtualization() -> Option<String> {
    if is_hyper_v_root() {
        return None;
    }
    hypervisor_signature()
        .map(|signature| name_of(&signature))
        .or_else(super::system::virtual_machine)
}

/// Whether this system is the root partition of Hyper-V, as with virtualization-based security: it
/// runs on bare metal, and no host can preempt it.
pub(super) fn is_hyper_v_root() -> bool {
    cfg_select! {
        target_arch = "x86_64" => {
            /// The privilege to create partitions, which only the root partition has.
            const CREATE_PARTITIONS: u32 = 1;
            hypervisor_signature().is_some_and(|signature| signature == "Microsoft Hv")
                && std::arch::x86_64::__cpuid(0x4000_0003).ebx & CREATE_PARTITIONS != 0
        }
        _ => { false }
    }
}

/// Returns the name of up to twelve letters that a hypervisor reports through the instruction `cpuid` in a
/// virtual machine; `None` without a hypervisor.
fn hypervisor_signature() -> Option<String> {
    cfg_select! {
        target_arch = "x86_64" => {
            use std::arch::x86_64::__cpuid;
            let features = __cpuid(1);
            if features.ecx & (1 << 31) == 0 {
                return None;
            }
            let leaf = __cpuid(0x4000_0000);
            let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx]
                .iter()
                .flat_map(|register| register.to_le_bytes())
                .filter(|&byte| byte != 0)
                .collect();
            Some(String::from_utf8_lossy(&bytes).trim().to_owned())
        }
        _ => { None }
    }
}

fn name_of(signature: &str) -> String {
    match signature {
        "KVMKVMKVM" => "KVM",
        "Microsoft Hv" => "Hyper-V",
        "VMwareVMware" => "VMware",
        "XenVMMXenVMM" => "Xen",
        "VBoxVBoxVBox" => "VirtualBox",
        "TCGTCGTCGTCG" => "QEMU",
        "prl hyperv" | "lrpepyh vr" => "Parallels",
        "ACRNACRNACRN" => "ACRN",
        "bhyve bhyve" => "bhyve",
        "" => "an unnamed hypervisor",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hypervisors_have_their_names() {
        assert_eq!(name_of("KVMKVMKVM"), "KVM");
        assert_eq!(name_of("Something"), "Something");
    }
}
